import type { ParsedEvent, ParsedItem } from '#domain';
import { parseBody } from './parse-body.js';

const USER = 'BR.7730194456120983';
const TEXT = { from: '15550100311', id: 'wamid.1', timestamp: '1796040000', type: 'text', text: { body: 'hi' } };

function parseValue(value: object, field = 'messages'): ParsedItem[] {
  const metadata = { display_phone_number: '15550100200', phone_number_id: '402600000000201' };
  const body = {
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field, value: { metadata, ...value } }] }],
  };
  return parseBody(Buffer.from(JSON.stringify(body)));
}

function message(of: object, value: object = {}): ParsedEvent {
  const item = parseValue({ ...value, messages: [of] })[0];
  if (item === undefined) throw new Error('no item');
  return item.event;
}

const aliases = (event: ParsedEvent) => ('chat' in event ? event.chat.sender.aliases : null);
const text = (event: ParsedEvent) => ('speech' in event ? event.speech.text : null);

describe('a withheld phone', () => {
  const contacts = [{ profile: { name: 'Beto Lima', username: '@beto' }, user_id: USER }];

  it.each<[string, object]>([
    ['absent', { from_user_id: USER }],
    ['null', { from: null, from_user_id: USER }],
    ['empty', { from: '', from_user_id: USER }],
    ['the user id itself', { from: USER, from_user_id: USER }],
    ['the user id, which stands nowhere else', { from: USER }],
    ['a placeholder', { from: '0', from_user_id: USER }],
  ])('is known by the user id: %s', (_case, who) => {
    const event = message({ ...TEXT, from: undefined, ...who }, { contacts });
    expect(event).toMatchObject({ kind: 'message', chat: { sender: { name: 'Beto Lima' } } });
    expect(aliases(event)).toEqual([{ kind: 'user', value: USER }]);
  });

  it('makes the message unreadable when nothing else names the person: strangers must not share a conversation', () => {
    for (const from of [undefined, '', '0', 'withheld', {}, '00000000']) {
      expect(message({ ...TEXT, from })).toEqual({ kind: 'unreadable', why: 'message: nobody sent it' });
    }
  });

  it('still has a chat in a group, and the thread that it names', () => {
    const chat = { groupId: 'G1', threadId: 'invoice' };
    expect(message({ ...TEXT, from: '', group_id: 'G1', thread_id: 'invoice' })).toMatchObject({ chat });
    expect(message(TEXT)).toMatchObject({ chat: { groupId: null, threadId: null } });
  });
});

describe('pairing with contacts', () => {
  const ana = { profile: { name: 'Ana' }, wa_id: '15550100311', user_id: 'US.40211903377461902255' };
  const beto = { profile: { name: 'Beto' }, wa_id: '551155550142', user_id: USER };

  it('goes by user id, then by phone, and never by place', () => {
    const contacts = [beto, null, ana];
    expect(message({ ...TEXT, from: '', from_user_id: ana.user_id }, { contacts })).toMatchObject({
      chat: { sender: { name: 'Ana', aliases: [{ value: ana.wa_id }, { value: ana.user_id }] } },
    });
    expect(message({ ...TEXT, from: beto.wa_id }, { contacts })).toMatchObject({ chat: { sender: { name: 'Beto' } } });
    expect(message({ ...TEXT, from: '4915550100' }, { contacts: [ana] })).toMatchObject({
      chat: { sender: { name: null } },
    });
  });

  it('takes no id from a contact that contradicts the message', () => {
    const event = message({ ...TEXT, from: ana.wa_id, from_user_id: 'US.999' }, { contacts: [ana] });
    expect(aliases(event)).toEqual([
      { kind: 'phone', value: ana.wa_id },
      { kind: 'user', value: 'US.999' },
    ]);
  });

  it('reads +phone and phone as one', () => {
    expect(aliases(message({ ...TEXT, from: '+15550100311' }))).toEqual([{ kind: 'phone', value: '15550100311' }]);
  });
});

describe('speech', () => {
  it.each<[string, object, string]>([
    ['an empty text', { type: 'text', text: { body: '' } }, '[empty message]'],
    ['an image', { type: 'image', image: { id: '1' } }, '[image]'],
    ['a song', { type: 'audio', audio: { id: '1' } }, '[audio]'],
    ['a document without a name', { type: 'document', document: { id: '1' } }, '[document]'],
    ['a bare place', { type: 'location', location: { latitude: 1.5, longitude: '-2.25' } }, '[location] (1.5, -2.25)'],
    [
      'an unnamed card',
      { type: 'contacts', contacts: [{ phones: [{ wa_id: '1555' }] }, {}] },
      '[contact] 1555\n[contact] without a name',
    ],
    ['a button without a title', { type: 'interactive', interactive: { button_reply: { id: 'x' } } }, 'x'],
    [
      'a form',
      { type: 'interactive', interactive: { nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } } },
      '[form: flow] Sent {"a":1}',
    ],
    [
      'a call permission',
      { type: 'interactive', interactive: { call_permission_reply: { response: 'accept' } } },
      '[call permission: accept]',
    ],
    ['a new kind of reply', { type: 'interactive', interactive: { type: 'shiny_reply' } }, '[shiny_reply]'],
    ['a template button without text', { type: 'button', button: { payload: 'STOP' } }, 'STOP'],
    [
      'a basket with a remark',
      {
        type: 'order',
        order: {
          text: 'gift wrap',
          product_items: [
            { product_retailer_id: 'a', quantity: 1, item_price: '3', currency: 'EUR' },
            { product_retailer_id: 'b', quantity: '2' },
          ],
        },
      },
      '[order] 1 × a (3.00 EUR)\n[order] 2 × b\ngift wrap',
    ],
    ['an ad without a headline', { referral: { source_type: 'post' } }, '[came from post]\nhi'],
    [
      'a product question',
      { context: { referred_product: { product_retailer_id: 'mug' } } },
      '[about product: mug]\nhi',
    ],
  ])('renders %s', (_case, of, expected) => {
    const event = message({ ...TEXT, ...of });
    expect(event.kind).toBe('message');
    expect(text(event)).toBe(expected);
  });

  it('reads a forwarded message, whose context has no id', () => {
    expect(message({ ...TEXT, context: { forwarded: true } })).toMatchObject({
      kind: 'message',
      replyTo: null,
      speech: { text: 'hi', details: { forwarded: true } },
    });
  });

  it('is unsupported without content when the errors say so, and unreadable otherwise', () => {
    const errors = [{ code: 131060, title: 'Content unavailable' }];
    const empty = { ...TEXT, type: 'interactive', text: undefined };
    expect(message(empty, { errors })).toMatchObject({
      kind: 'unsupported',
      what: 'interactive',
      error: { code: '131060' },
    });
    expect(message({ ...empty, errors })).toMatchObject({ kind: 'unsupported', what: 'interactive' });
    expect(message(empty)).toEqual({ kind: 'unreadable', why: 'message: interactive without content' });
    expect(JSON.parse(parseValue({ messages: [empty], errors })[0]?.raw ?? '')).toMatchObject({ errors });
  });

  it.each(['poll', 'constructor', '__proto__', 'toString', ''])('of the unknown type "%s" is unsupported', (type) => {
    expect(message({ ...TEXT, type })).toMatchObject({ kind: 'unsupported', what: type === '' ? 'unknown' : type });
  });
});

describe('other messages', () => {
  it('a reaction with an empty emoji is a removal', () => {
    const reaction = { message_id: 'wamid.0', emoji: '' };
    expect(message({ ...TEXT, type: 'reaction', reaction })).toMatchObject({
      kind: 'reaction',
      targetId: 'wamid.0',
      emoji: null,
    });
  });

  it('a revoke deletes the message it names', () => {
    const revoke = { original_message_id: 'wamid.0' };
    expect(message({ ...TEXT, type: 'revoke', revoke })).toMatchObject({ kind: 'deletion', targetId: 'wamid.0' });
  });

  it.each<[string, object]>([
    ['reaction', { type: 'reaction' }],
    ['edit', { type: 'edit', edit: { original_message_id: 'wamid.0' } }],
    ['revoke', { type: 'revoke', revoke: null }],
    ['text', { type: 'text', text: 'hi' }],
  ])('a %s that names nothing is unreadable', (_type, of) => {
    expect(message({ ...TEXT, ...of })).toMatchObject({ kind: 'unreadable' });
  });

  it('accepts the old spelling of a changed number', () => {
    const system = {
      type: 'customer_changed_number',
      customer: '15550100311',
      new_wa_id: '15550100399',
      body: 'changed',
    };
    expect(message({ ...TEXT, from: '', type: 'system', system })).toMatchObject({
      kind: 'system',
      text: 'changed',
      chat: { sender: { aliases: [{ value: '15550100399' }] } },
      replaces: [{ kind: 'phone', value: '15550100311' }],
    });
  });

  it('keeps the phone when only the user id changed, and trusts no id in the free text', () => {
    const system = { type: 'user_changed_user_id', user_id: 'US.2', body: 'User US.40211903377461902255 changed' };
    expect(message({ ...TEXT, from_user_id: 'US.1', type: 'system', system })).toMatchObject({
      chat: {
        sender: {
          aliases: [
            { kind: 'phone', value: '15550100311' },
            { kind: 'user', value: 'US.2' },
          ],
        },
      },
      replaces: [{ kind: 'user', value: 'US.1' }],
    });
  });
});

describe('other fields', () => {
  it.each(['history', 'calls', 'smb_app_state_sync', 'account_update', 'constructor', 'standby'])(
    '%s is a notice',
    (field) => {
      expect(parseValue({ messages: [TEXT], event: 'X' }, field).map((item) => item.event)).toEqual([
        { kind: 'notice', what: field, text: 'X' },
      ]);
    },
  );

  it('reads what the business did on its phone', () => {
    const to = { from: '15550100200', to: '', to_user_id: USER, id: 'wamid.E', timestamp: '1' };
    const revoke = { ...to, type: 'revoke', revoke: { original_message_id: 'wamid.0' } };
    const list = [
      { ...to, type: 'poll' },
      { ...to, type: 'reaction' },
      revoke,
      { ...to, to_user_id: null, type: 'poll' },
      7,
    ];
    const events = parseValue({ message_echoes: list }, 'smb_message_echoes').map((item) => item.event);
    expect(events.map((event) => event.kind)).toEqual(['echo', 'notice', 'deletion', 'unreadable', 'unreadable']);
    expect(events[0]).toMatchObject({ speech: { text: '[poll]' }, chat: { sender: { aliases: [{ value: USER }] } } });
  });

  it('tells group statuses of one message apart by participant', () => {
    const of = { id: 'wamid.G', status: 'read', timestamp: '1', recipient_type: 'group', recipient_id: 'G1' };
    const statuses = [{ ...of, recipient_participant_id: '1' }, { ...of, recipient_participant_user_id: 'US.2' }, of];
    expect(parseValue({ statuses }).map((item) => item.externalId)).toEqual([
      'wamid.G:read:1',
      'wamid.G:read:US.2',
      'wamid.G:read:G1',
    ]);
  });
});
