/** 200 bursts of 50 people while every process is killed with SIGKILL at random moments: nothing is lost, nothing doubled. */
import { jest } from '@jest/globals';
import { eventually, type AssistantRequest } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import { CRASH_ENV } from '../harness/crash-env.js';
import { Killer } from '../harness/killer.js';
import { closeBooks } from '../harness/ledger.js';
import type { Person } from '../harness/person.js';
import { seededRandom } from '../harness/random.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

jest.setTimeout(400_000);

const PEOPLE = 50;
const BURSTS = 4;
const TEXTS = ['hi', 'quick question', 'do you have anything Saturday?'];
/** A kill follows every so many questions to the assistant, and every so many texts. */
const ASKED_PER_KILL = 12;
const SAID_PER_KILL = 120;
const KILL_WITHIN_MS = 400;

const random = seededRandom();
// Which backend is left to the seed: over several runs both have their turn.
const backend = BACKENDS[random.seed % BACKENDS.length] ?? 'postgres';

describe(`200 bursts under kill -9 (E2E_SEED=${random.seed}, wake-ups over ${backend})`, () => {
  let world: World;
  let killer: Killer;
  const said: string[] = [];

  beforeAll(async () => {
    console.info(`kills: E2E_SEED=${random.seed}, wake-ups over ${backend}`);
    world = await startWorld({ backend, env: CRASH_ENV, services: { batcher: 2, responder: 2, console: 0 } });
    killer = new Killer(world, random, ['ingest', 'batcher', 'responder']);
    await world.simulator.control('settings', { retry: { baseMs: 100, maxDelayMs: 500 } });
    // Slow answers widen the two moments that matter; some sends leave no trace but the copy itself.
    await world.simulator.fault([
      { kind: 'latency', when: 'before', ms: 150, times: 60 },
      { kind: 'latency', when: 'after', ms: 150, times: 'always' },
      { kind: 'statuses', statuses: 'none', skip: 20, times: 60 },
    ]);
  }, 150_000);
  afterAll(() => world?.close());

  it('goes on through all of it', async () => {
    const heard = new Set<string>();
    const order = random.shuffled(['batcher', 'responder', 'responder', 'ingest'] as const);
    let asks = 0;
    let strikes = 0;
    world.assistant.always(({ turn }: AssistantRequest) => {
      for (const { text } of turn.messages) heard.add(text ?? '');
      asks += 1;
      if (asks % ASKED_PER_KILL === 0) killer.strike(order[strikes++ % order.length] ?? 'responder', KILL_WITHIN_MS);
      const echo = `You said: ${turn.messages.map((message) => message.text).join(' / ')}`;
      return { parts: random.below(4) === 0 ? [echo, 'Anything else?'] : [echo], latencyMs: random.below(200) };
    });
    await Promise.all(Array.from({ length: PEOPLE }, () => writeBursts(world.person(), heard)));
    await killer.rest();
    expect(said).toHaveLength(PEOPLE * BURSTS * TEXTS.length);
    for (const name of ['ingest', 'batcher', 'responder'] as const) expect(killer.kills[name]).toBeGreaterThan(2);
  });

  async function writeBursts(person: Person, heard: ReadonlySet<string>): Promise<void> {
    for (let burst = 0; burst < BURSTS; burst += 1) {
      for (const text of TEXTS) {
        const unique = `${text} (${person.phone}, ${burst})`;
        said.push(unique);
        if (said.length % SAID_PER_KILL === 0) killer.strike('ingest', KILL_WITHIN_MS);
        await person.says(unique);
      }
      // The next burst comes when the assistant has seen this one, so that the kills meet every stage.
      const all = TEXTS.map((text) => `${text} (${person.phone}, ${burst})`);
      await eventually(
        () => {
          killer.check();
          return all.every((text) => heard.has(text));
        },
        { timeoutMs: 300_000, everyMs: 50 },
      );
    }
  }

  it('has nothing unaccounted for, nothing twice and no order broken', async () => {
    const { ledger, unaccounted } = await closeBooks(world, 90_000);
    console.info(`kills: ${JSON.stringify(killer.kills)}, parts: ${JSON.stringify(ledger.parts)}`);
    expect(unaccounted).toEqual([]);
    await checkInvariants(world, { waits: false });
  });

  it('has every message in exactly one batch', async () => {
    const rows = await world.query<{ text: string; outcome: string; batches: number }>(
      `SELECT parsed #>> '{speech,text}' AS text, min(outcome) AS outcome, count(DISTINCT batch_id)::int AS batches
      FROM event WHERE kind = 'message' GROUP BY 1`,
    );
    expect(rows.map((row) => row.text).sort()).toEqual([...said].sort());
    expect(rows.filter((row) => row.outcome !== 'in_batch' || row.batches !== 1)).toEqual([]);
  });

  it('has for every batch its reply, or an open case that names the unknown part', async () => {
    expect(
      await world.query(`
        SELECT b.id::text, b.state, array_agg(p.state || coalesce(':' || p.reason, '') ORDER BY p.index) AS parts
        FROM batch b LEFT JOIN part p ON p.batch_id = b.id
        WHERE NOT EXISTS (SELECT FROM review r JOIN part u ON u.id = r.part_id
          WHERE r.state = 'open' AND r.reason = 'unknown-send' AND u.batch_id = b.id AND u.state = 'unknown')
        GROUP BY b.id
        HAVING b.state <> 'replied' OR count(p.id) = 0
          OR count(*) FILTER (WHERE p.state IN ('accepted', 'sent', 'delivered', 'read')) < count(p.id)`),
    ).toEqual([]);
  });

  it('shows every person each of their texts once, apart from those that a person of the business has on the desk', async () => {
    const open = await world.query<{ text: string }>(`
      SELECT e.parsed #>> '{speech,text}' AS text FROM event e WHERE e.batch_id IN (
        SELECT p.batch_id FROM review r JOIN part p ON p.id = r.part_id WHERE r.state = 'open' AND r.reason = 'unknown-send')`);
    const accepted = (await world.simulator.calls({ kind: 'send' })).filter((call) => call.accepted);
    const answered = accepted.flatMap(({ text }) => /^You said: (.*)$/s.exec(text ?? '')?.[1]?.split(' / ') ?? []);
    expect(answered).toHaveLength(new Set(answered).size);
    const onDesk = new Set(open.map((row) => row.text));
    const seen = new Set(answered);
    expect(said.filter((text) => !seen.has(text) && !onDesk.has(text))).toEqual([]);
  });
});
