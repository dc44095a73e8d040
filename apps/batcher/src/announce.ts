/** A case that nobody sees is a lost message: ALERT_WEBHOOK_URL is told of new ones, old ones, and of anything forgotten. */
import { announceReviews, countUnaccounted, type Database, type DueAlert } from '#inbox';
import { deadline, monotonicMs, type Env, type Log } from '#process';

/** Cases per pass, and how long a pass and one POST may take, ms. */
const LIMIT = 50;
const PASS_MS = 8_000;
const POST_MS = 4_000;
/** After a POST that was not accepted: this long, doubled up to five minutes; ms. */
const PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** How often the books are looked at, and how often one process speaks of what it finds, ms. */
const LOOK_EVERY_MS = 60_000;
const UNACCOUNTED_EVERY_MS = 3_600_000;

export interface AnnounceOptions {
  env: Pick<Env, 'ALERT_WEBHOOK_URL' | 'ALERT_AFTER_MS' | 'MAX_WAIT_MS' | 'UNKNOWN_WAIT_MS'>;
  log: Log;
  fetch?: typeof fetch;
}

/** Points on the monotonic clock, ms. */
interface Memory {
  failures: number;
  pausedUntil: number;
  nextLook: number;
  nextWord: number;
}

const memories = new WeakMap<Database, Memory>();

/** One pass; call it as often as you like. What it remembers between passes belongs to the database it is given. */
export async function announce(db: Database, options: AnnounceOptions): Promise<void> {
  const memory = memories.get(db) ?? { failures: 0, pausedUntil: 0, nextLook: 0, nextWord: 0 };
  memories.set(db, memory);
  if (memory.pausedUntil > monotonicMs()) return;
  const time = deadline(PASS_MS);
  const pass = await announceReviews(db, {
    limit: LIMIT,
    stillOpenMs: options.env.ALERT_AFTER_MS,
    goOn: () => !time.passed(),
    tell: (alert) => tellOfReview(alert, options),
  });
  const reached = (pass?.failed ?? false) ? false : await lookForForgotten(db, options, memory);
  memory.failures = reached ? 0 : memory.failures + 1;
  if (!reached) memory.pausedUntil = monotonicMs() + Math.min(PAUSE_MS * 2 ** (memory.failures - 1), MAX_PAUSE_MS);
}

function tellOfReview(alert: DueAlert, options: AnnounceOptions): Promise<boolean> {
  // Whoever opens a case logs it; only that it is still open is news here.
  if (alert.kind === 'review-still-open') options.log.warn({ ...alert }, 'a case has been open for long');
  return tell({ ...alert }, options);
}

/** False when there was something to say and nobody took it. */
async function lookForForgotten(db: Database, options: AnnounceOptions, memory: Memory): Promise<boolean> {
  const now = monotonicMs();
  if (memory.nextLook > now || memory.nextWord > now) return true;
  memory.nextLook = now + LOOK_EVERY_MS;
  const { MAX_WAIT_MS: maxWaitMs, UNKNOWN_WAIT_MS: unknownWaitMs } = options.env;
  const count = await countUnaccounted(db.prisma, { maxWaitMs, unknownWaitMs }, 'overdue');
  if (count === 0) return true;
  options.log.error({ count }, 'rows are waiting beyond their time: npm run audit names them');
  if (!(await tell({ kind: 'unaccounted', count }, options))) {
    memory.nextLook = 0;
    return false;
  }
  memory.nextWord = now + UNACCOUNTED_EVERY_MS;
  return true;
}

/** Whether the receiver took it; without one, the log has to do. */
async function tell(body: Record<string, unknown>, { env, log, ...options }: AnnounceOptions): Promise<boolean> {
  if (env.ALERT_WEBHOOK_URL === undefined) return true;
  try {
    const response = await (options.fetch ?? fetch)(env.ALERT_WEBHOOK_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(POST_MS),
    });
    await response.body?.cancel();
    if (response.ok) return true;
    log.warn({ status: response.status, kind: body['kind'] }, 'the alert receiver refused');
  } catch (error) {
    log.warn({ err: error, kind: body['kind'] }, 'the alert receiver cannot be reached');
  }
  return false;
}
