/** The demo assistant's two tools that change something: each does its effect once per key, however often it is run. */
import type { JsonObject, Tool } from '#domain';
import type { Database } from './database.js';

const field = (args: JsonObject, name: string): string | null => {
  const value = args[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
};

export function holdAppointmentTool(db: Database): Tool {
  return {
    name: 'hold_appointment',
    description: 'Holds an appointment for the customer. Call it when they ask to book and have named a time.',
    parameters: {
      type: 'object',
      properties: {
        startsAt: { type: 'string', description: 'Day and time as the customer said it, for example "Saturday 10:00"' },
        service: { type: 'string', description: 'What it is for' },
      },
      required: ['startsAt'],
      additionalProperties: false,
    },
    effect: 'effectful',
    async run(args, { key, turn }) {
      const startsAt = field(args, 'startsAt');
      if (startsAt === null) return { error: 'startsAt is empty: ask the customer for a day and a time' };
      // The row that is there wins: another run under this key has done the effect, perhaps with other words.
      const rows = await db.prisma.$queryRaw<{ id: string; startsAt: string; service: string | null }[]>`
        INSERT INTO appointment (conversation_id, key, service, starts_at)
        VALUES (${turn.conversation.id}::bigint, ${key}, ${field(args, 'service')}, ${startsAt})
        ON CONFLICT (key) DO UPDATE SET key = excluded.key
        RETURNING id::text, starts_at AS "startsAt", service`;
      const held = rows[0];
      return held
        ? { held: true, appointment: held.id, startsAt: held.startsAt, service: held.service }
        : { error: 'not held' };
    },
  };
}

export function addNoteTool(db: Database): Tool {
  return {
    name: 'add_note',
    description: 'Keeps a note about the customer for the colleagues.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The note' } },
      required: ['text'],
      additionalProperties: false,
    },
    effect: 'effectful',
    async run(args, { key, turn }) {
      const text = field(args, 'text');
      if (text === null) return { error: 'the note is empty' };
      const rows = await db.prisma.$queryRaw<{ id: string }[]>`
        INSERT INTO note (conversation_id, key, text) VALUES (${turn.conversation.id}::bigint, ${key}, ${text})
        ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id::text`;
      return { noted: true, note: rows[0]?.id ?? null };
    },
  };
}
