/** The inbox on a real database, for its specs: each step of a message's way in one word. */
import type { AssistantAnswer, Policy, SendResult } from '#domain';
import { AccountDirectory, ensureAccount } from '../src/accounts.js';
import { claimParts, readyParts, type ClaimedPart, type ClaimedParts } from '../src/claim-parts.js';
import { claimTurns, type Claimed, type ClaimedTurn } from '../src/claim-turns.js';
import { openDatabase, type Database } from '../src/database.js';
import { finishTurn, type Finished } from '../src/finish-turn.js';
import type { PolicyChoices } from '../src/policy-of.js';
import { readyBatches } from '../src/ready-batches.js';
import { routeEvents, type Routed } from '../src/route-events.js';
import { settlePart, type PartResult, type SettledPart } from '../src/settle-part.js';
import { settleUnknownParts } from '../src/settle-unknown-parts.js';
import { storeEvents, type NewEvent, type Stored } from '../src/store-events.js';
import { message, type From } from './new-events.js';

export const HOUR = 3_600_000;
// Long: what must not have passed yet has not passed on a slow machine either. The clock is shifted, not waited for.
export const LEASE_MS = 120_000;
export const GAP_MS = 10_000;
export const SEND_LEASE_MS = 30_000;
export const TAKEOVER_MS = HOUR;

export const POLICY: Policy = {
  windowMs: 20_000,
  maxWaitMs: 60_000,
  lateAfterMs: 900_000,
  maxAttempts: 4,
  retryBaseMs: 20_000,
  unknownWaitMs: 60_000,
  unknownSend: 'review',
};

export const accepted = (providerId: string): SendResult => ({ kind: 'accepted', providerId });

/** Shifts the one clock of the database by so many ms from real time. */
export type ShiftClock = (url: string, offsetMs: number) => Promise<void>;

export class InboxKit {
  readonly db: Database;
  readonly accounts: AccountDirectory;
  policy: Policy = POLICY;
  /** The embedder's functions. */
  choices: Partial<PolicyChoices> | undefined;
  maxTurnsPerDay = 200;
  private offsetMs = 0;
  private group = 0;

  private constructor(
    private readonly url: string,
    private readonly shift: ShiftClock,
    readonly pools: Database[],
  ) {
    this.db = pools[0] as Database;
    this.accounts = new AccountDirectory(this.db);
  }

  /** @param pools connection pools, as of so many processes. */
  static async open(url: string, shift: ShiftClock, pools = 1): Promise<InboxKit> {
    const open = () => openDatabase({ url, poolMax: 6, applicationName: 'spec' });
    const kit = new InboxKit(url, shift, Array.from({ length: pools }, open));
    const settings = { channel: 'whatsapp', accessToken: 't', verifyToken: null, apiVersion: 'v1' } as const;
    for (const externalId of ['1', '2']) {
      const apiUrl = 'http://127.0.0.1';
      await ensureAccount(kit.db, { ...settings, externalId, appSecrets: [`secret-${externalId}`], apiUrl });
    }
    return kit;
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((db) => db.close()));
  }

  /** As new, with the accounts as they were made; for a spec's next test. */
  async reset(): Promise<void> {
    this.policy = POLICY;
    this.choices = undefined;
    this.maxTurnsPerDay = 200;
    if (this.offsetMs !== 0) await this.shift(this.url, (this.offsetMs = 0));
    await this.sql(`TRUNCATE event, event_variant, batch, turn, model_step, part, parked_status, review, contact_alias,
      conversation, appointment, note RESTART IDENTITY CASCADE`);
    await this.sql(`UPDATE account SET policy = '{}', paused_at = NULL, paused_reason = NULL, backoff_until = NULL`);
    await this.accounts.refresh(true);
  }

  async sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.db.pool.query(text, values)).rows as T[];
  }

  async row<T extends object>(text: string, values: unknown[] = []): Promise<T> {
    const rows = await this.sql<T>(text, values);
    if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one: ${text}`);
    return rows[0] as T;
  }

  /** The database's clock, epoch ms. */
  async now(): Promise<number> {
    return (await this.row<{ now: number }>('SELECT epoch_ms(oneturn_now()) AS now')).now;
  }

  /** Waits until a statement of this database waits for a lock. */
  async untilBlocked(): Promise<void> {
    for (const deadline = performance.now() + 10_000; ;) {
      const waiting = await this.sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (waiting.length > 0) return;
      if (performance.now() > deadline) throw new Error('nothing waits for a lock');
    }
  }

  /** Lets so many ms go by for the database. */
  async pass(ms: number): Promise<void> {
    await this.shift(this.url, (this.offsetMs += ms));
  }

  /** One group of an ingest process, in the order of arrival. */
  store(...events: NewEvent[]): Promise<Stored> {
    return storeEvents(this.db, events, { process: 'ingest', group: this.group++ });
  }

  route(db = this.db, limit = 1000): Promise<Routed> {
    const bounds = { maxMessages: 50, maxCharacters: 20_000 };
    return routeEvents(db, this.accounts, {
      policy: this.policy,
      choices: this.choices,
      bounds,
      limit,
      takeoverMs: TAKEOVER_MS,
    });
  }

  /** Stored together, routed together. */
  async arrive(...events: NewEvent[]): Promise<Routed> {
    await this.store(...events);
    return this.route();
  }

  async claim(db = this.db, holder = 'holder', limit = 20): Promise<Claimed> {
    const ready = await readyBatches(db.prisma, limit);
    return claimTurns(db, this.accounts, ready, {
      holder,
      leaseMs: LEASE_MS,
      policy: this.policy,
      choices: this.choices,
      maxTurnsPerDay: this.maxTurnsPerDay,
    });
  }

  /** The one turn that is due now. */
  async claimOne(): Promise<ClaimedTurn> {
    const { turns } = await this.claim();
    if (turns.length !== 1) throw new Error(`${turns.length} turns instead of one`);
    return turns[0] as ClaimedTurn;
  }

  /** Says it, lets the window pass and claims the turn. */
  async turn(text: string, from: From): Promise<ClaimedTurn> {
    await this.arrive(message(text, from));
    await this.pass(this.policy.windowMs);
    return this.claimOne();
  }

  finish(turn: ClaimedTurn, answer: AssistantAnswer, db = this.db): Promise<Finished> {
    return finishTurn(db, { ...turn, assistant: 'spec', usage: null }, answer);
  }

  /** A turn that has been answered with these parts; resolves to their ids. */
  async reply(from: From, ...parts: string[]): Promise<string[]> {
    const turn = await this.turn('a question', from);
    await this.finish(turn, { kind: 'reply', parts });
    const rows = await this.sql<{ id: string }>('SELECT id::text FROM part WHERE batch_id = $1 ORDER BY index', [
      turn.batchId,
    ]);
    return rows.map((part) => part.id);
  }

  async claimParts(holder = 'holder', db = this.db): Promise<ClaimedParts> {
    const options = { holder, leaseMs: SEND_LEASE_MS, gapMs: GAP_MS, serviceWindowMs: () => 24 * HOUR };
    return claimParts(db, await readyParts(db, 20), options);
  }

  /** The one part that may leave now. */
  async claimPart(): Promise<ClaimedPart> {
    const { parts } = await this.claimParts();
    if (parts.length !== 1) throw new Error(`${parts.length} parts instead of one`);
    return parts[0] as ClaimedPart;
  }

  settle(part: ClaimedPart, result: PartResult): Promise<SettledPart> {
    return settlePart(this.db, part, result, this.policy);
  }

  sweepUnknown() {
    return settleUnknownParts(this.db, this.accounts, this.policy, 100);
  }

  async states(table: 'batch' | 'part'): Promise<string[]> {
    const rows = await this.sql<{ state: string }>(`SELECT state FROM ${table} ORDER BY id`);
    return rows.map((row) => row.state);
  }

  /** Outcome and reason by external id. */
  async outcomes(): Promise<Record<string, string>> {
    const rows = await this.sql<{ id: string; outcome: string | null; reason: string | null }>(
      'SELECT external_id AS id, outcome, reason FROM event ORDER BY id',
    );
    return Object.fromEntries(rows.map((row) => [row.id, [row.outcome ?? 'open', row.reason ?? []].flat().join(' ')]));
  }

  /** Open cases, as `reason subject`. */
  async openCases(): Promise<string[]> {
    const rows = await this.sql<{ text: string }>(
      `SELECT reason || ' ' || subject AS text FROM review WHERE state = 'open' ORDER BY id`,
    );
    return rows.map((row) => row.text);
  }
}
