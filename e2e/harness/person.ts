/** A customer at the simulator's phone. */
import { eventually } from '#testing';
import type { ChatEntry, SimulatorClient } from './simulator-client.js';

export interface Said {
  id: string;
  delivered: number | null | string;
}

export interface Person {
  phone: string;
  /** Writes one text; resolves when ingest has answered. `more` goes to the control API as it is. */
  says(text: string, more?: Record<string, unknown>): Promise<Said>;
  /** What the channel has accepted for this person, oldest first. */
  received(): Promise<ChatEntry[]>;
  /** Waits for at least `count` accepted copies. */
  hears(count: number, timeoutMs?: number): Promise<ChatEntry[]>;
}

export function createPerson(simulator: SimulatorClient, phone: string): Person {
  const received = async (): Promise<ChatEntry[]> =>
    (await simulator.chat(phone)).filter((entry) => entry.direction === 'out');
  return {
    phone,
    says: (text, more = {}) => simulator.control<Said>('messages', { from: phone, name: `P ${phone}`, text, ...more }),
    received,
    hears: (count, timeoutMs = 20_000) =>
      eventually(
        async () => {
          const entries = await received();
          return entries.length >= count ? entries : null;
        },
        { timeoutMs, everyMs: 50 },
      ),
  };
}
