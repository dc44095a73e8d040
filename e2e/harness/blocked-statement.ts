/** Stops a service in the middle of one statement: a lock of the test's own makes the statement wait, for as long as it takes. */
import { eventually } from '#testing';
import { Client } from 'pg';
import type { World } from './world.js';

export interface Block {
  /** Resolves as soon as a statement of this service waits for the lock. */
  reached(service: 'ingest' | 'batcher' | 'responder'): Promise<void>;
  /** Ends this service's waiting statements, once: it lives, and may come again before the release. */
  endWaiting(service: 'ingest' | 'batcher' | 'responder'): Promise<void>;
  /** Ends what dead processes left waiting, for good, as if it had never arrived: nothing of it is committed. */
  cancelWaiting(): Promise<void>;
  /** Lets the statements go on; what a dead process left behind goes on too. */
  release(): Promise<void>;
}

/** Nothing can be written to `table` until it is released; reading goes on. */
export function blockWrites(
  world: World,
  table: 'event' | 'model_step' | 'batch' | 'part' | 'appointment',
): Promise<Block> {
  return block(world, `LOCK TABLE ${table} IN SHARE MODE`);
}

/** Nobody can lock this conversation until it is released. */
export function blockConversation(world: World, conversationId: string): Promise<Block> {
  return block(world, `SELECT FROM conversation WHERE id = ${BigInt(conversationId)} FOR NO KEY UPDATE`);
}

async function block(world: World, sql: string): Promise<Block> {
  const client = new Client({ connectionString: world.database.url });
  // The database is dropped with the world, whoever is connected.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const own = rows[0]?.pid;
  const waiting = () =>
    world.query<{ pid: number; by: string }>(
      'SELECT pid, application_name AS by FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))',
      [own],
    );
  return {
    reached: async (service) => {
      await eventually(async () => (await waiting()).some(({ by }) => by === `oneturn-${service}`));
    },
    endWaiting: async (service) => {
      for (const { pid, by } of await waiting())
        if (by === `oneturn-${service}`) await world.query('SELECT pg_terminate_backend($1::int)', [pid]);
    },
    cancelWaiting: async () => {
      for (const { pid } of await waiting()) await world.query('SELECT pg_terminate_backend($1::int)', [pid]);
      await eventually(async () => (await waiting()).length === 0);
    },
    release: async () => {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}
