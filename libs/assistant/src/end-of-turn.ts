import type { AssistantAnswer, Json } from '#domain';
import type { AnswerCall } from './answer-content.js';
import { HAND_TO_PERSON } from './hand-to-person-tool.js';
import { isRefusal } from './run-tool.js';
import { STAY_SILENT } from './stay-silent-tool.js';

/**
 * Do these calls end the turn? Handing over wins over silence. All calls of the answer have run by then: a note that the
 * model took along with handing over is meant for the person.
 */
export function endOfTurn(calls: AnswerCall[], results: Json[]): AssistantAnswer | null {
  const done = calls.filter((_call, i) => !isRefusal(results[i] ?? null));
  const handover = done.find(({ toolName }) => toolName === HAND_TO_PERSON);
  if (handover) return { kind: 'review', why: String(handover.input['why'] ?? 'handed over by the assistant') };
  return done.some(({ toolName }) => toolName === STAY_SILENT) ? { kind: 'silent' } : null;
}
