/** What the demo model understands: a handful of English words, nothing else. */
import type { JSONObject } from '@ai-sdk/provider';
import { WEEKDAYS } from './opening-hours-tool.js';

export interface Intent {
  tool: string;
  /** Values for whichever of these arguments the tool has. */
  values: JSONObject;
}

const PERSON = /\b(human|agent|operator)\b|\b(a|real|another|some) person\b|^person\b/i;
const BOOKING = /\b(book|booking|appointment|reserve|reservation|table|slot)\b/i;
const CLOCK = /\b(\d{1,2})(?::(\d{2}))?\s*(am|pm)\b|\b(\d{1,2}):(\d{2})\b|\b(?:at|for)\s+(\d{1,2})\b|\b(noon)\b/i;
const NOTE = /\b(note|remember)\b/i;
const HOURS =
  /\b(open|opening|hours|close|closed|today|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

/** The tools that these messages call for, in a fixed order, each at most once. `now` in epoch ms. */
export function readIntents(texts: string[], now: number): Intent[] {
  const intents: Intent[] = [];
  const all = texts.join('\n');
  const person = texts.find((text) => PERSON.test(text));
  if (person !== undefined)
    return [{ tool: 'hand_to_person', values: { why: `The customer asks for a person: ${person}` } }];
  const note = texts.find((text) => NOTE.test(text));
  if (note !== undefined) intents.push({ tool: 'add_note', values: { text: note, note, content: note } });
  const clock = BOOKING.test(all) ? clockOf(all) : null;
  if (clock !== null) intents.push({ tool: 'hold_appointment', values: bookingValues(all, clock, now) });
  else if (HOURS.test(all)) intents.push({ tool: 'opening_hours', values: dayOf(all, now) });
  return intents;
}

/** How many parts the customer asks for ("three parts please"), 1 to 10. */
export function readPartCount(texts: string[]): number | null {
  const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const match = /\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) parts?\b/i.exec(texts.join('\n'));
  if (!match?.[1]) return null;
  const count = words.indexOf(match[1].toLowerCase()) + 1 || Number(match[1]);
  return Math.min(Math.max(count, 1), 10);
}

function bookingValues(text: string, time: string, now: number): JSONObject {
  const named = dayOf(text, now)['day'];
  const day = new Date(now);
  do day.setUTCDate(day.getUTCDate() + 1);
  while (named !== undefined && weekdayOf(day.getTime()) !== named);
  const date = day.toISOString().slice(0, 10);
  const when = `${date}T${time}:00Z`;
  return {
    day: date,
    date,
    time,
    when,
    at: when,
    start: when,
    startsAt: when,
    what: text,
    reason: text,
    service: text,
    title: text,
  };
}

function dayOf(text: string, now: number): JSONObject {
  const lower = text.toLowerCase();
  if (/\btoday\b/.test(lower)) return { day: weekdayOf(now) };
  if (/\btomorrow\b/.test(lower)) return { day: weekdayOf(now + 86_400_000) };
  const day = WEEKDAYS.find((name) => lower.includes(name.toLowerCase()));
  return day ? { day } : {};
}

function weekdayOf(at: number): string {
  return WEEKDAYS[(new Date(at).getUTCDay() + 6) % 7] ?? WEEKDAYS[0];
}

function clockOf(text: string): string | null {
  const match = CLOCK.exec(text);
  if (!match) return null;
  if (match[7]) return '12:00';
  const half = match[3]?.toLowerCase();
  const hour = (Number(match[1] ?? match[4] ?? match[6]) % (half ? 12 : 24)) + (half === 'pm' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${match[2] ?? match[5] ?? '00'}`;
}
