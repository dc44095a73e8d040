import { ChatView } from './chat-view.js';
import { Countdown } from './countdown.js';
import { People } from './people.js';

const $ = (selector) => document.querySelector(selector);
const presence = $('#presence');
const view = new ChatView($('#chat'));
const countdowns = new Map();
let settings = { windowMs: 20_000, maxWaitMs: 60_000 };
let account;
let typingUntil = 0;
let live = false;
/** Messages leave one after the other: a burst keeps the order in which it was typed. */
let sending = Promise.resolve();

const people = new People($('#people'), () => void showChat());

async function call(path, body) {
  const response = await fetch(path, body && { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok && response.status !== 404) throw new Error(`${path} answered ${response.status}`);
  return response.ok ? response.json() : null;
}

async function showChat() {
  const { phone } = people.current;
  const chat = await call(`/control/chats/${encodeURIComponent(phone)}`);
  if (people.current.phone !== phone) return;
  view.show(chat?.entries ?? []);
  typingUntil = Date.now() + (chat?.typingMs ?? 0);
  $('#composer input').focus();
}

function countdownOf(phone) {
  if (!countdowns.has(phone)) countdowns.set(phone, new Countdown());
  return countdowns.get(phone);
}

function send(text) {
  const { phone, name } = people.current;
  const author = /^[A-Z]{2}\./.test(phone) ? { userId: phone } : { from: phone };
  sending = sending
    .then(() => call('/control/messages', { ...author, name, text }))
    .then(({ delivered }) => {
      if (delivered !== 200) note(`The business's side answered ${delivered ?? 'nothing'}; it will be tried again.`);
    })
    .catch((error) => note(error.message));
}

/** A hint in place of the presence line, for a while. */
let noteUntil = 0;
function note(text) {
  presence.textContent = text;
  noteUntil = Date.now() + 5000;
}

function onEvent(event) {
  if (event.account !== account) return;
  const shown = event.chat === people.current.phone;
  if (event.type === 'entry') {
    const { entry } = event;
    if (!people.has(event.chat)) people.add(event.chat, entry.from ?? event.chat, false);
    if (entry.direction === 'in') countdownOf(event.chat).wrote(Date.now());
    else countdownOf(event.chat).ended();
    if (shown) view.add(entry);
    else people.nudge(event.chat);
    if (shown && entry.direction === 'out') typingUntil = 0;
  } else if (event.type === 'status') {
    if (shown) view.tick(event.id, event.status);
  } else if (event.type === 'read') {
    countdownOf(event.chat).ended();
    if (shown) view.read(event.ids);
  } else if (event.type === 'typing') {
    countdownOf(event.chat).ended();
    if (shown) typingUntil = Date.now() + event.untilMs;
  }
}

function drawClock() {
  const now = Date.now();
  view.typing(now < typingUntil);
  if (now > noteUntil) presence.textContent = live ? (now < typingUntil ? 'typing…' : 'online') : 'connecting…';
  const state = countdownOf(people.current.phone).at(now, settings);
  const bar = $('#countdown');
  bar.hidden = state === null;
  if (state === null) return;
  bar.querySelector('progress').value = state.part;
  bar.querySelector('span').textContent =
    state.leftMs > 0
      ? `these messages are answered together in about ${Math.ceil(state.leftMs / 1000)} s (estimate)`
      : 'waiting for the answer';
}

$('#composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = event.target.elements.text;
  if (input.value.trim() !== '') send(input.value);
  input.value = '';
});

$('#new-person').addEventListener('submit', (event) => {
  event.preventDefault();
  const { name, phone } = event.target.elements;
  people.pick(people.add(phone.value.replace(/\D/g, ''), name.value.trim()));
  event.target.reset();
});

async function start() {
  settings = await call('/control/settings');
  account = (await call('/control/accounts'))[0]?.phoneNumberId;
  for (const { chat, person } of (await call('/control/chats')) ?? []) {
    if (!people.has(chat)) people.add(chat, person?.name ?? chat, false);
  }
  const source = new EventSource('/control/live');
  source.onmessage = (message) => onEvent(JSON.parse(message.data));
  source.onerror = () => (live = false);
  source.onopen = () => {
    live = true;
    // What happened while the connection was away is only in the chat itself.
    void showChat();
  };
  setInterval(drawClock, 250);
}

void start().catch((error) => note(error.message));
