/** For the specs of this folder only: a journal in memory, a turn, and tools that count their effects. */
import type {
  Json,
  JsonObject,
  Journal,
  JournalStep,
  ModelUsage,
  Tool,
  ToolCall,
  TurnContext,
  TurnMessage,
} from '#domain';

/** Keeps the steps of a batch over several attempts and can cut an attempt off at any write. */
export class MemoryJournal implements Journal {
  readonly stored = new Map<number, JournalStep>();
  writes = 0;
  /** The attempt dies at this write (from 1): before it is stored, or right after. */
  cut: { at: number; when: 'before' | 'after' } | null = null;

  steps(): Promise<JournalStep[]> {
    return Promise.resolve(structuredClone([...this.stored.values()].sort((a, b) => a.position - b.position)));
  }

  recordAnswer(position: number, content: Json, usage: ModelUsage | null): Promise<void> {
    return this.write(() => this.insert({ position, kind: 'answer', content, usage }));
  }

  startTool(position: number, call: ToolCall): Promise<void> {
    return this.write(() => {
      if (!this.stored.has(position)) this.insert({ position, kind: 'tool', call, state: 'started', result: null });
    });
  }

  finishTool(position: number, result: Json): Promise<void> {
    return this.write(() => {
      const step = this.stored.get(position);
      if (step?.kind !== 'tool' || step.state === 'finished') throw new Error(`nothing to finish at ${position}`);
      this.stored.set(position, { ...step, state: 'finished', result });
    });
  }

  private insert(step: JournalStep): void {
    if (this.stored.has(step.position)) throw new Error(`${step.position} is taken`);
    this.stored.set(step.position, structuredClone(step));
  }

  private async write(store: () => void): Promise<void> {
    const cut = ++this.writes === this.cut?.at ? this.cut.when : null;
    if (cut === 'before') throw new Error('cut before the write');
    store();
    if (cut === 'after') throw new Error('cut after the write');
  }
}

export function turnOf(texts: string[], changes: Partial<TurnContext> = {}): TurnContext {
  const messages = texts.map((text, i): TurnMessage => ({ id: `m${i + 1}`, type: 'text', text, at: 1000 * i }));
  const message = messages.at(-1) ?? { id: 'm0', type: 'text', text: '', at: 0 };
  return {
    tenant: 'salon',
    account: { channel: 'whatsapp', externalId: '111' },
    conversation: { id: 'c1', threadId: 't1', contact: { name: 'Ada', aliases: [{ kind: 'phone', value: '491511' }] } },
    batch: { id: 'b1', attempt: 1 },
    message,
    skipped: messages.slice(0, -1),
    totalSinceLastHandler: messages.length,
    messages,
    history: [],
    instructions: 'You answer for the Salon Ada.',
    now: Date.parse('2026-03-04T10:00:00Z'),
    ...changes,
  };
}

/** An effectful tool that, as the port asks, does its effect once per key. */
export class CountingTool implements Tool {
  readonly description = 'counts';
  readonly parameters: JsonObject = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] };
  readonly effect = 'effectful';
  /** The arguments of every run, by key. */
  readonly runs = new Map<string, JsonObject[]>();
  /** Thrown once, after the effect: the answer of the commit is lost. */
  failOnce: Error | null = null;

  constructor(readonly name: string) {}

  run(args: JsonObject, { key }: { key: string }): Promise<Json> {
    this.runs.set(key, [...(this.runs.get(key) ?? []), args]);
    const failure = this.failOnce;
    this.failOnce = null;
    return failure ? Promise.reject(failure) : Promise.resolve({ done: this.runs.get(key)?.[0]?.['what'] ?? null });
  }
}

export const neverAborted: AbortSignal = new AbortController().signal;
export const stillHeld = (): void => undefined;
