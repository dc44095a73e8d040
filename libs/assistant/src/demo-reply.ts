/** How the demo model words a reply: plain, and visibly about every message of the burst. */
import type { JSONValue } from '@ai-sdk/provider';

export interface DemoResult {
  tool: string;
  result: JSONValue;
}

const GREETING = /^\s*(hi|hello|hey|good (morning|afternoon|evening)|hallo|hola)\b/i;
const LONGEST_QUOTE = 120;

/** The paragraphs of the reply; exactly `count` when the customer asked for a number of parts. */
export function wordReply(texts: string[], results: DemoResult[], count: number | null): string[] {
  const quotes = texts.map((text) => `“${text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_QUOTE)}”`).join(', ');
  const greeting = texts.some((text) => GREETING.test(text)) ? 'Hello!' : 'Thanks for writing!';
  const got = texts.length === 1 ? 'I got your message' : `I got your ${texts.length} messages`;
  const paragraphs = [`${greeting} ${got}: ${quotes}.`, ...results.map(wordResult)];
  if (results.length === 0) paragraphs.push('I am the demo assistant. Ask me about our opening hours, or book a time.');
  if (count === null) return paragraphs;
  const exact = paragraphs.slice(0, count - 1);
  exact.push(paragraphs.slice(count - 1).join(' '));
  for (let part = paragraphs.length + 1; part <= count; part++) exact[part - 1] = `This is part ${part} of ${count}.`;
  return exact.filter((text) => text !== '');
}

function wordResult({ tool, result }: DemoResult): string {
  const error = field(result, 'error');
  if (error !== undefined) return `That did not work: ${text(error)}.`;
  switch (tool) {
    case 'opening_hours':
      return wordHours(field(result, 'days'));
    case 'hold_appointment':
      return `I am holding the appointment for you${when(result)}. Shall I keep it?`;
    case 'add_note':
      return 'I have noted that for the team.';
    default:
      return `${tool}: ${text(result)}.`;
  }
}

function wordHours(days: JSONValue | undefined): string {
  if (!Array.isArray(days)) return 'I could not find our opening hours.';
  const lines = days.map((day) => {
    const open = field(day, 'open');
    return `${text(field(day, 'day'))} ${open === undefined ? 'closed' : `${text(open)}–${text(field(day, 'close'))}`}`;
  });
  return `Our opening hours: ${lines.join(', ')}. Shall I hold a time for you? Just tell me when.`;
}

function when(result: JSONValue): string {
  const at = ['when', 'at', 'start', 'startsAt', 'time']
    .map((name) => field(result, name))
    .find((value) => value !== undefined);
  return at === undefined ? '' : ` (${text(at)})`;
}

function field(value: JSONValue | undefined, name: string): JSONValue | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value[name] : undefined;
}

function text(value: JSONValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
