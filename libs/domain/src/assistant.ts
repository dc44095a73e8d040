/** The port between a turn and whatever answers it: a model, or a service of the user's own. */
import type { Channel } from './channel.js';
import type { Alias, SpeechType } from './inbound.js';
import type { Json, JsonObject } from './json.js';

export interface TurnMessage {
  /** The channel's own id of the message. */
  id: string;
  type: SpeechType;
  text: string;
  /** Provider time, epoch ms. */
  at: number;
}

export interface HistoryEntry {
  role: 'customer' | 'assistant' | 'operator';
  text: string;
  /** Epoch ms. */
  at: number;
}

/** Everything the assistant may know of the turn. `messages` = `skipped` + `message`, oldest first. */
export interface TurnContext {
  tenant: string;
  account: { channel: Channel; externalId: string };
  conversation: { id: string; threadId: string; contact: { name: string | null; aliases: Alias[] } };
  batch: { id: string; attempt: number };
  message: TurnMessage;
  skipped: TurnMessage[];
  totalSinceLastHandler: number;
  messages: TurnMessage[];
  /** Oldest first; only what was really exchanged: accepted parts and earlier messages. */
  history: HistoryEntry[];
  instructions: string;
  /** The wall clock of the claim, epoch ms, so that a deterministic model stays one. */
  now: number;
}

export type AssistantAnswer = { kind: 'reply'; parts: string[] } | { kind: 'silent' } | { kind: 'review'; why: string };

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
}

/** A call of a tool, as the model worded it. `key` is the same however often the batch is retried. */
export interface ToolCall {
  id: string;
  name: string;
  args: JsonObject;
  key: string;
}

/** The transcript of a batch as far as it got, one entry per position, in order. */
export type JournalStep =
  | { position: number; kind: 'answer'; content: Json; usage: ModelUsage | null }
  | { position: number; kind: 'tool'; call: ToolCall; state: 'started' | 'finished'; result: Json | null };

/**
 * The batch's journal. Every write is made under the turn's fence and rejects with StaleFenceError when the turn
 * has lost the batch; the caller then stops at once.
 */
export interface Journal {
  steps(): Promise<JournalStep[]>;
  /** Before anything of the answer is acted on. */
  recordAnswer(position: number, content: Json, usage: ModelUsage | null): Promise<void>;
  /** Before the tool runs. Recording a started call again (same position) is a no-op. */
  startTool(position: number, call: ToolCall, effect: ToolEffect): Promise<void>;
  finishTool(position: number, result: Json): Promise<void>;
}

export type ToolEffect = 'effectful' | 'read-only';

export interface ToolRun {
  /** Idempotency key: the tool must do its effect once per key. */
  key: string;
  signal: AbortSignal;
  turn: TurnContext;
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  effect: ToolEffect;
  run(args: JsonObject, run: ToolRun): Promise<Json>;
}

export interface TurnRun {
  journal: Journal;
  tools: Tool[];
  /** Aborted when the lease is lost, the turn's time is over or the process stops. */
  signal: AbortSignal;
  /**
   * Throws when the lease has run out by this process's own clock. To be called right before anything leaves the
   * process: one that was frozen goes on where it stood, before any timer can abort the signal.
   */
  stillHeld(): void;
}

export interface Assistant {
  /** Answers the turn or throws; a throw is a failed attempt. Names itself for the timeline. */
  readonly name: string;
  answer(turn: TurnContext, run: TurnRun): Promise<AssistantAnswer>;
}

/** The holder's fence is no longer the batch's: somebody else has it, or a person took over. */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError';
}
