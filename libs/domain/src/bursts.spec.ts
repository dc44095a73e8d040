import type { Said, Script, Turn } from '../specs/life-words.js';
import { everyMessageEndsOnce, oneBatchPerMessage } from '../specs/life-rules.js';
import { live } from '../specs/life.js';

const tickMs = 50;
const attempts: Script['attempts'] = [{ ms: 0, end: 'replies', settleMs: 0 }];
const script: Omit<Script, 'arrivals'> = {
  policy: {
    ...{ windowMs: 2000, maxWaitMs: 6000, lateAfterMs: 900_000, maxAttempts: 4, retryBaseMs: 200 },
    ...{ unknownWaitMs: 30_000, unknownSend: 'review' },
  },
  ...{ slots: 5, tickMs, leaseMs: 4000, attempts, wakeUps: [] },
};

function turnsOf(arrivals: number[], changes: Partial<Script> = {}): Turn[] {
  const said = arrivals.map((at, position): Said => ({
    ...{ person: 1, position, arrivedAt: at, providerAt: at, routedAt: at },
  }));
  const whole = { ...script, arrivals: said, ...changes };
  const life = live(whole);
  expect([...everyMessageEndsOnce(life, whole), ...oneBatchPerMessage(life, whole), ...life.stranded]).toEqual([]);
  return life.turns;
}

const answered = (turns: Turn[]): number[][] => turns.map((turn) => turn.messages.map((said) => said.position));

describe('fragments of one question', () => {
  it('are answered by one turn, once the person is quiet', () => {
    const turns = turnsOf([0, 1500, 2900]);
    expect(answered(turns)).toEqual([[0, 1, 2]]);
    expect(turns[0]!.claimedAt).toBe(4900);
  });

  it('without a window: the first alone, and what came during its turn together after it', () => {
    const policy = { ...script.policy, windowMs: 0 };
    const turns = turnsOf([0, 1500, 2900], { policy, attempts: [{ ms: 3000, end: 'replies', settleMs: 0 }] });
    expect(answered(turns)).toEqual([[0], [1, 2]]);
    expect(turns.map((turn) => turn.claimedAt)).toEqual([0, 3000]);
  });
});

describe('a steady typist', () => {
  const steady = Array.from({ length: 34 }, (_, n) => n * 900);

  it('gets the first turn at the cap, with everything said by then, and later ones at caps of their own', () => {
    const turns = turnsOf(steady);
    expect(turns[0]!.claimedAt).toBe(6000);
    expect(answered(turns)[0]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { claimedAt, messages } of turns) {
      expect(claimedAt - messages[0]!.arrivedAt).toBeLessThanOrEqual(6000 + tickMs);
    }
    expect(answered(turns).flat()).toEqual(steady.map((_, position) => position));
  });

  it('who writes 5 ms before the cap is heard in this turn, 5 ms after it in the next', () => {
    const turns = turnsOf([0, 1900, 3800, 5500, 5995, 6005]);
    expect(answered(turns)).toEqual([[0, 1, 2, 3, 4], [5]]);
    expect(turns.map((turn) => turn.claimedAt)).toEqual([6000, 8050]);
  });

  it('who writes after the cap but before the sweep is heard at once, and does not move the turn', () => {
    const turns = turnsOf([10, 1900, 3800, 5500, 5995, 6015]);
    expect(answered(turns)).toEqual([[0, 1, 2, 3, 4, 5]]);
    expect(turns[0]!.claimedAt).toBe(6050);
  });
});
