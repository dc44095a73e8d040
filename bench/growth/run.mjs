/** What each operation touches while the tables grow: a hundred times as much in them, and the same work. */
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../parts/migrate.mjs';
import { insertConversations } from '../parts/conversations.mjs';
import { watchMemory } from '../parts/memory.mjs';
import { insertOldEvents } from '../parts/old-events.mjs';
import { messageServices, startOneturn } from '../parts/oneturn.mjs';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { countingSettings } from '../parts/price.mjs';
import { inBench } from '../parts/scenario.mjs';
import { sumUp } from './operations.mjs';
import { report } from './report.mjs';
import { forgetStatements, makeRoles, statementsByService, urlOfRole } from './statements.mjs';

/** `old`: events per conversation, so that the largest size has ten million. */
const defaults = { conversations: [10_000, 100_000, 1_000_000], old: 10, rate: 50, seconds: 20, warmup: 5, soak: 120 };
const database = 'oneturn';
const env = { WINDOW_MS: 1_000, TURN_CONCURRENCY: 20 };
/** For the replies and statuses of the last messages, ms. */
const settleMs = 4_000;

/** @returns {Promise<boolean>} whether every bar was met. */
export function growthBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  const work = async ({ services, outside }) => {
    const { postgres, redis } = services;
    await migrate(postgres.urlOf(database));
    await makeRoles(postgres, messageServices);
    const how = { databaseUrl: postgres.urlOf(database), redisUrl: redis.url(1), outside, env };
    const start = () => startOneturn(how, (service) => urlOfRole(how.databaseUrl, service));
    await (await start()).stop();
    const sizes = [];
    let conversations = 0;
    for (const size of options.conversations) {
      await grow(postgres, conversations, size, options.old, say);
      conversations = size;
      const oneturn = await start();
      try {
        sizes.push({ conversations: size, sums: await measure(services, outside, oneturn, size, options) });
      } finally {
        await oneturn.stop();
      }
      say(`${size.toLocaleString('en-US')} conversations measured`);
    }
    const memory = await soak(start, outside, conversations, options);
    return report(sizes, memory, options);
  };
  return inBench('growth', say, work, { settings: countingSettings, save: options.save });
}

async function grow(postgres, from, to, old, say) {
  const firstConversation =
    1 + (await postgres.query('SELECT coalesce(max(id), 0)::int FROM conversation', [], database));
  await insertConversations(postgres, database, from, to, say);
  const conversations = to - from;
  await insertOldEvents(postgres, database, { count: conversations * old, firstConversation, conversations }, say);
}

async function measure({ postgres }, outside, oneturn, people, { rate, seconds, warmup }) {
  await outside.tell('aim', { url: oneturn.url });
  const load = (length) => outside.tell('load', { kind: 'spread', run: newRun(), rate, people, seconds: length });
  // Plans, caches and connections are there before anything counts.
  await load(warmup);
  await delay(settleMs);
  await forgetStatements(postgres);
  const { posts } = await load(seconds);
  await delay(settleMs);
  return sumUp(await statementsByService(postgres), posts.length);
}

/** Memory under load for `soak` seconds, with the tables as large as they got. */
async function soak(start, outside, people, { soak: seconds, rate }) {
  if (seconds === 0) return {};
  const oneturn = await start();
  try {
    await outside.tell('aim', { url: oneturn.url });
    const watched = watchMemory(oneturn.servers);
    await outside.tell('load', { kind: 'spread', run: newRun(), rate, people, seconds });
    return watched();
  } finally {
    await oneturn.stop();
  }
}
