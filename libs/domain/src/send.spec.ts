import { decideSend, decideUnknown, serviceWindowOpen, SERVICE_WINDOW_MARGIN_MS, type SendFacts } from './send.js';

const day = 86_400_000;
const inbound = 1_000_000;
const now = inbound + 5000;
const free: SendFacts = {
  ...{ author: 'assistant', takenOver: false, lastInboundAt: inbound, serviceWindowMs: day },
  ...{ accountPaused: false, notBefore: now, earlierUnsettled: false },
};
const closed = { lastInboundAt: now - day };
const send = (facts: Partial<SendFacts>): string => {
  const decision = decideSend({ ...free, ...facts }, now);
  return 'why' in decision ? `${decision.kind} ${decision.why}` : decision.kind;
};

it.each<[string, Partial<SendFacts>, string]>([
  ['nothing stands against it', {}, 'send'],
  ['its time comes in a millisecond', { notBefore: now + 1 }, 'wait pace'],
  ['an earlier part is unsettled', { earlierUnsettled: true }, 'wait order'],
  ['the account is paused', { accountPaused: true }, 'wait account-paused'],
  ['a person has the conversation', { takenOver: true }, 'hold taken-over'],
  ['the person wrote it', { takenOver: true, author: 'operator' }, 'send'],
  ['the service window is closed', closed, 'hold window-closed'],
  ['also for a person', { ...closed, author: 'operator', takenOver: true }, 'hold window-closed'],
  ['the channel has no service window', { ...closed, serviceWindowMs: null }, 'send'],
  [
    'a part that can never leave does not wait first',
    { ...closed, earlierUnsettled: true, accountPaused: true },
    'hold window-closed',
  ],
  [
    'nor does one that is held for a person',
    { takenOver: true, earlierUnsettled: true, notBefore: now + 9 },
    'hold taken-over',
  ],
])('%s', (_, facts, decision) => {
  expect(send(facts)).toBe(decision);
});

it.each([
  ['right after the message', inbound, day, inbound, true],
  ['the last millisecond before the margin', inbound, day, inbound + day - SERVICE_WINDOW_MARGIN_MS - 1, true],
  ['at the margin', inbound, day, inbound + day - SERVICE_WINDOW_MARGIN_MS, false],
  ['at the end', inbound, day, inbound + day, false],
  ['nothing ever came in', null, day, inbound, false],
  ['no window, nothing ever came in', null, null, inbound, true],
  ['no window, a year later', inbound, null, inbound + 365 * day, true],
])('service window, %s', (_, lastInboundAt, windowMs, at, open) => {
  expect(serviceWindowOpen(lastInboundAt, windowMs, at)).toBe(open);
});

it.each([
  ['evidence may still come', 'review', 1, 29_999, 'wait'],
  ['no evidence', 'review', 1, 30_000, 'review'],
  ['evidence may still come', 'resend', 1, 29_999, 'wait'],
  ['no evidence', 'resend', 1, 30_000, 'resend'],
  ['no evidence, one attempt left', 'resend', 3, 30_000, 'resend'],
  ['no evidence, none left', 'resend', 4, 30_000, 'review'],
] as const)('unknown part, %s: %s after %d attempts and %d ms', (_, unknownSend, attempts, after, kind) => {
  const policy = { unknownWaitMs: 30_000, unknownSend, maxAttempts: 4 };
  expect(decideUnknown(inbound, attempts, policy, inbound + after)).toEqual({ kind });
});
