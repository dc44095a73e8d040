import { placeEvent, type PlaceFacts } from './place-event.js';
import type { Policy } from './policy.js';

const policy: Policy = {
  ...{ windowMs: 2000, maxWaitMs: 6000, lateAfterMs: 900_000, maxAttempts: 4, retryBaseMs: 5000 },
  ...{ unknownWaitMs: 30_000, unknownSend: 'review' },
};
const now = 10_000_000;
const arrivedAt = now - 40;
const facts: PlaceFacts = {
  ...{ kind: 'message', takenOver: false, firstContact: false, collecting: null },
  arrival: { providerAt: arrivedAt - 800, arrivedAt, position: 7 },
};
const place = (of: Partial<PlaceFacts>): ReturnType<typeof placeEvent> => placeEvent({ ...facts, ...of }, policy, now);
const saidAgo = (ago: number): Partial<PlaceFacts> => ({ arrival: { providerAt: now - ago, arrivedAt, position: 7 } });

it('a message opens a batch whose clocks are those of its arrival, not of its provider', () => {
  const times = { firstAt: arrivedAt, lastAt: arrivedAt, dueAt: arrivedAt + 2000 };
  expect(place({})).toEqual({ kind: 'batch', times });
});

it('a message joins the collecting batch and restarts its window', () => {
  const collecting = { firstAt: arrivedAt - 1500, lastAt: arrivedAt - 500, dueAt: arrivedAt + 1500 };
  const times = { firstAt: arrivedAt - 1500, lastAt: arrivedAt, dueAt: arrivedAt + 2000 };
  expect(place({ collecting })).toEqual({ kind: 'batch', times });
});

it.each<[string, Partial<PlaceFacts>, string]>([
  ['a message as old as allowed', saidAgo(900_000), 'batch'],
  ['a message a millisecond older', saidAgo(900_001), 'review late'],
  [
    'a message that waited here for too long',
    { arrival: { providerAt: null, arrivedAt: now - 900_001, position: 7 } },
    'review late',
  ],
  ['a message from the future', saidAgo(-90_000_000), 'batch'],
  ['a message to a person', { takenOver: true }, 'human'],
  ['a late message to a person', { takenOver: true, ...saidAgo(900_001) }, 'human'],
  ['an edit', { kind: 'edit' }, 'applied'],
  ['a deletion', { kind: 'deletion' }, 'applied'],
  ['what the business wrote from its phone', { kind: 'echo' }, 'takeover'],
  ['a reaction', { kind: 'reaction', firstContact: true }, 'ignored reaction'],
  ['a changed number', { kind: 'system', firstContact: true }, 'ignored system'],
  ['a notice about the account', { kind: 'notice' }, 'ignored notice'],
  ['an unsupported message', { kind: 'unsupported' }, 'ignored unsupported'],
  ['an unsupported first message', { kind: 'unsupported', firstContact: true }, 'review unsupported'],
  [
    'an unsupported first message to a person',
    { kind: 'unsupported', firstContact: true, takenOver: true },
    'ignored unsupported',
  ],
  ['what nobody could parse', { kind: 'unreadable' }, 'review unreadable'],
])('%s', (_, of, expected) => {
  const placement = place(of);
  expect([placement.kind, ...('reason' in placement ? [placement.reason] : [])].join(' ')).toBe(expected);
});

it('only a message opens or moves a batch', () => {
  const kinds = ['edit', 'deletion', 'echo', 'reaction', 'system', 'notice', 'unsupported', 'unreadable'] as const;
  for (const kind of kinds) {
    for (const firstContact of [true, false]) expect(place({ kind, firstContact }).kind).not.toBe('batch');
  }
});
