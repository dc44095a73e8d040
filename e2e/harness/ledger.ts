/** The books of a world, and what the channel itself saw of it. */
import { auditRows, openDatabase, readLedger, type AuditRow, type Ledger } from '#inbox';
import { eventually } from '#testing';
import type { ApiCall } from './simulator-client.js';
import type { World } from './world.js';

/** Ledger and audit as `npm run audit` reads them. */
export async function readBooks(world: World): Promise<{ ledger: Ledger; unaccounted: AuditRow[] }> {
  const db = openDatabase({ url: world.database.url, poolMax: 2, applicationName: 'oneturn-e2e-books' });
  const rules = { maxWaitMs: Number(world.env['MAX_WAIT_MS']), unknownWaitMs: Number(world.env['UNKNOWN_WAIT_MS']) };
  try {
    const ledger = await readLedger(db, rules);
    return { ledger, unaccounted: await auditRows(db.prisma, rules, 50) };
  } finally {
    await db.close();
  }
}

/** Waits until nothing is under way any more: what still waits, waits for a person. */
export function settled(world: World, timeoutMs = 30_000): Promise<Ledger> {
  return eventually(
    async () => {
      const { pendingRetries } = await world.simulator.control<{ pendingRetries: number }>('webhooks?after=999999999');
      if (pendingRetries > 0) throw new Error(`the channel still repeats ${pendingRetries} webhooks`);
      const { ledger } = await readBooks(world);
      const open = Object.entries(ledger.waiting).filter(([name, count]) => name !== 'person' && count > 0);
      if (open.length > 0) throw new Error(`still waiting: ${JSON.stringify(Object.fromEntries(open))}`);
      return ledger;
    },
    { timeoutMs, everyMs: 250 },
  );
}

/** The accepted sends of each part, by the part's id: more than one means that a customer has two copies. */
export async function acceptedCopies(world: World): Promise<Map<string, ApiCall[]>> {
  const copies = new Map<string, ApiCall[]>();
  for (const call of await world.simulator.calls({ kind: 'send' })) {
    if (!call.accepted) continue;
    const part = /^part:(\d+):\d+$/.exec(call.tracker ?? '')?.[1] ?? `no tracker (${call.n})`;
    copies.set(part, [...(copies.get(part) ?? []), call]);
  }
  return copies;
}
