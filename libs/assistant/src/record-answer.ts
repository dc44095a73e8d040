import { StaleFenceError, type Journal, type Json, type ModelUsage } from '#domain';

/**
 * Journals an answer before anything of it is acted on. A `final` one, which no tool call follows, is let through also
 * when the turn has lost its batch: the end of the turn stands under the same fence, sends nothing, and keeps the text
 * as a draft for the person who took over.
 */
export async function recordAnswer(
  journal: Journal,
  position: number,
  content: Json,
  usage: ModelUsage | null,
  final: boolean,
): Promise<void> {
  try {
    await journal.recordAnswer(position, content, usage);
  } catch (error) {
    if (!final || !(error instanceof StaleFenceError)) throw error;
  }
}
