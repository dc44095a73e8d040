/** A customer at the simulator's phone. */
import { eventually, type AssistantRequest } from '#testing';
import type { Answer, AnswersByPerson } from './answers-by-person.js';
import type { ApiCall, ChatEntry, SimulatorClient } from './simulator-client.js';

export interface Said {
  id: string;
  delivered: number | null | string;
  /** One answer for every copy. */
  deliveries: (number | null)[];
}

export interface Person {
  phone: string;
  /** Writes one text; resolves when ingest has answered. `more` goes to the control API as it is. */
  says(text: string, more?: Record<string, unknown>): Promise<Said>;
  /** What the channel has accepted for this person, oldest first. */
  received(): Promise<ChatEntry[]>;
  /** Waits for at least `count` accepted copies. */
  hears(count: number, timeoutMs?: number): Promise<ChatEntry[]>;
  /** Every attempt to send something to them, accepted or not. */
  sends(): Promise<ApiCall[]>;
  /** Scripts the next turns about this person. */
  willBeAnswered(...answers: Answer[]): void;
  /** The turns about this person so far. */
  asked(): AssistantRequest[];
  /** The texts of each turn so far. */
  turns(): (string | null)[][];
  /** Waits until there were at least `count` turns. */
  isAsked(count: number, timeoutMs?: number): Promise<AssistantRequest[]>;
}

export function createPerson(simulator: SimulatorClient, phone: string, answers: AnswersByPerson): Person {
  const received = async (): Promise<ChatEntry[]> =>
    (await simulator.chat(phone)).filter((entry) => entry.direction === 'out');
  const atLeast = async <T>(count: number, timeoutMs: number, read: () => T[] | Promise<T[]>): Promise<T[]> =>
    eventually(
      async () => {
        const found = await read();
        return found.length >= count ? found : null;
      },
      { timeoutMs, everyMs: 50 },
    );
  const asked = (): AssistantRequest[] => answers.asked(phone);
  return {
    phone,
    says: (text, more = {}) => {
      const content = 'message' in more ? {} : { text };
      return simulator.control<Said>('messages', { from: phone, name: `P ${phone}`, ...content, ...more });
    },
    received,
    hears: (count, timeoutMs = 20_000) => atLeast(count, timeoutMs, received),
    sends: () => simulator.calls({ to: phone, kind: 'send' }),
    willBeAnswered: (...scripted) => answers.queue(phone, scripted),
    asked,
    turns: () => asked().map(({ turn }) => turn.messages.map((message) => message.text)),
    isAsked: (count, timeoutMs = 20_000) => atLeast(count, timeoutMs, asked),
  };
}
