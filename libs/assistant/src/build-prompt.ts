import type { HistoryEntry, TurnContext, TurnMessage } from '#domain';
import type { ModelMessage } from 'ai';
import { boundHistory } from './bound-history.js';
import { COLLEAGUE_MARK, systemText } from './system-text.js';

export interface Prompt {
  system: string;
  messages: ModelMessage[];
}

/**
 * The turn as a model reads it: the rules, what was said before as far as `historyTokens` (estimated) allow, then every
 * message of the batch in order, each a user turn of its own with its text untouched. Customers only ever fill the
 * content of user turns, so no wording of theirs can pass for a rule or for the assistant.
 */
export function buildPrompt(turn: TurnContext, historyTokens: number): Prompt {
  const earlier = boundHistory(turn.history, historyTokens).map(fromHistory);
  // Some providers refuse a transcript that does not begin with the user.
  if (earlier[0]?.role === 'assistant') earlier.unshift({ role: 'user', content: '(the conversation began earlier)' });
  return { system: systemText(turn), messages: [...earlier, ...turn.messages.map(fromBatch)] };
}

function fromHistory(entry: HistoryEntry): ModelMessage {
  switch (entry.role) {
    case 'customer':
      return { role: 'user', content: visible(entry.text, 'a message without text') };
    case 'assistant':
      return { role: 'assistant', content: visible(entry.text, 'a message without text') };
    case 'operator':
      return { role: 'assistant', content: `${COLLEAGUE_MARK} ${entry.text}` };
  }
}

function fromBatch(message: TurnMessage): ModelMessage {
  return { role: 'user', content: visible(message.text, `${message.type} without text`) };
}

/** Providers refuse empty turns, and a dropped one would hide that the customer sent something. */
function visible(text: string, instead: string): string {
  return text.trim() === '' ? `(${instead})` : text;
}
