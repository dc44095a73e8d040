/** What a turn is shown of its messages: the latest, and the earlier ones that it answers along. */

export interface TurnInput<M> {
  message: M;
  /** Oldest first. */
  skipped: M[];
  totalSinceLastHandler: number;
  /** `skipped` and `message`: what an assistant should answer. */
  messages: M[];
}

/**
 * @param messages in the order in which they were said.
 * @throws RangeError when there is none: nothing would be left to answer.
 */
export function turnInput<M>(messages: readonly M[]): TurnInput<M> {
  const message = messages.at(-1);
  if (message === undefined) throw new RangeError('a turn without a message');
  return { message, skipped: messages.slice(0, -1), totalSinceLastHandler: messages.length, messages: [...messages] };
}
