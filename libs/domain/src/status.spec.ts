import type { StatusName } from './inbound.js';
import { ACCEPTED_PART_STATES, PART_STATES, UNSETTLED_PART_STATES, type PartState } from './outcome.js';
import { readTracker, stateAfterStatus, trackerOf } from './status.js';

const STATUSES: StatusName[] = ['sent', 'failed', 'delivered', 'read'];
const after = (start: PartState, statuses: StatusName[]): PartState => statuses.reduce(stateAfterStatus, start);

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

it.each<[StatusName[], PartState]>([
  [['delivered', 'sent', 'read', 'delivered', 'read'], 'read'],
  [['sent', 'sent', 'delivered', 'delivered', 'sent'], 'delivered'],
  [['failed', 'sent', 'failed', 'sent', 'sent'], 'failed'],
  [['failed', 'sent', 'delivered', 'delivered', 'sent'], 'delivered'],
  [['failed', 'sent', 'delivered', 'read', 'failed'], 'read'],
])('all 120 orders of %j end as %s', (statuses, end) => {
  const orders = permutations(statuses);
  expect(orders).toHaveLength(120);
  for (const order of orders) expect(after('accepted', order)).toBe(end);
});

it('any five statuses end the same in every order, from any state in which a part can be on its way', () => {
  const fives = (length: number): StatusName[][] =>
    length === 0 ? [[]] : fives(length - 1).flatMap((some) => STATUSES.map((status) => [...some, status]));
  for (const start of ['pending', 'sending', 'unknown', 'accepted', 'held'] as const) {
    const ends = new Map<string, PartState>();
    for (const five of fives(5)) {
      const same = [...five].sort().join();
      const end = after(start, five);
      expect(end).toBe(ends.get(same) ?? end);
      ends.set(same, end);
    }
  }
});

it('revives a failed part by proof of delivery only', () => {
  expect(STATUSES.map((status) => stateAfterStatus('failed', status))).toEqual([
    'failed',
    'failed',
    'delivered',
    'read',
  ]);
});

it('never goes back: not from read, not to a state without a status', () => {
  for (const status of STATUSES) {
    expect(stateAfterStatus('read', status)).toBe('read');
    for (const state of PART_STATES) expect(STATUSES).toContain(stateAfterStatus(state, status));
  }
});

it('takes any status as the proof that settles an open part', () => {
  for (const state of UNSETTLED_PART_STATES) {
    for (const status of STATUSES) expect(UNSETTLED_PART_STATES).not.toContain(stateAfterStatus(state, status));
    expect(ACCEPTED_PART_STATES).toContain(stateAfterStatus(state, 'sent'));
  }
});

it('reads its own trackers back', () => {
  expect(readTracker(trackerOf('12', 3))).toEqual({ partId: '12', attempt: 3 });
  expect(readTracker(trackerOf('999999999999999999', 999_999))).toEqual({
    partId: '999999999999999999',
    attempt: 999_999,
  });
});

it.each([null, '', 'order-77', 'part:1', 'part:1:2:3', 'part:x:1', 'part:-1:1', 'part:1:', ' part:1:2', 'part:1:2\n'])(
  'leaves a tracker of somebody else alone: %j',
  (tracker) => {
    expect(readTracker(tracker)).toBeNull();
  },
);

it('reads no id that the database could not hold', () => {
  expect(readTracker(`part:${'9'.repeat(19)}:1`)).toBeNull();
  expect(readTracker('part:1:9999999')).toBeNull();
});
