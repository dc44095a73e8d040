import type { Json, Tool } from '#domain';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
/** Opening and closing time of each day, null when closed all day. */
export type WeekHours = Record<Weekday, [open: string, close: string] | null>;

const DEFAULT_HOURS: WeekHours = {
  Monday: ['09:00', '18:00'],
  Tuesday: ['09:00', '18:00'],
  Wednesday: ['09:00', '18:00'],
  Thursday: ['09:00', '18:00'],
  Friday: ['09:00', '18:00'],
  Saturday: ['10:00', '14:00'],
  Sunday: null,
};

/** Says when the business is open, for one day or for the whole week. */
export function openingHoursTool(hours: WeekHours = DEFAULT_HOURS): Tool {
  return {
    name: 'opening_hours',
    description: 'When the business is open: on one day, or the whole week when no day is given.',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string', enum: [...WEEKDAYS] } },
      additionalProperties: false,
    },
    effect: 'read-only',
    run: (args) => {
      const days = WEEKDAYS.filter((day) => args['day'] === undefined || args['day'] === day);
      return Promise.resolve({ days: days.map((day) => entry(day, hours)) });
    },
  };
}

function entry(day: Weekday, hours: WeekHours): Json {
  const times = hours[day];
  return times ? { day, open: times[0], close: times[1] } : { day, closed: true };
}
