/** From the webhook to the accepted reply, as fast as it goes: bursts of five of many people, against Chat SDK. */
import { setTimeout as delay } from 'node:timers/promises';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { countingSettings, startCounting } from '../parts/price.mjs';
import { inBench } from '../parts/scenario.mjs';
import { prepareContenders } from './contenders.mjs';
import { report } from './report.mjs';

const defaults = { rounds: 3, people: 2_000, turns: 20, window: 1_000, connections: 64, old: 1_000_000 };
/** Messages of one burst. */
const size = 5;
/** After so long without an answer or a status nothing more is to come, ms. Longer than the lock of a dead handler. */
const quietMs = 15_000;
/** People of the light load, who write one after the other. */
const few = 20;

/** @returns {Promise<boolean>} whether every bar was met. */
export function pipelineBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  const work = async ({ services, outside }) => {
    const contenders = await prepareContenders(services, outside, options, say);
    const runs = new Map(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round < options.rounds; round += 1) {
      const order = contenders.map((_, index) => contenders[(index + round) % contenders.length]);
      for (const contender of order) {
        const figures = await measure(contender, services, outside, options);
        runs.get(contender.name).push(figures);
        say(`round ${round + 1}  ${contender.name.padEnd(23)} ${inShort(figures)}`);
      }
    }
    const ours = contenders.find(({ name }) => name === 'oneturn');
    const light = ours && (await measure(ours, services, outside, { ...options, people: few, connections: 1 }));
    if (light) say(`light    oneturn                 ${inShort(light)}`);
    return report(runs, light, options);
  };
  return inBench('pipeline', say, work, { settings: countingSettings, save: options.save });
}

/** Started for each run, so that none has the other's work in the background. */
async function measure(contender, services, outside, { people, connections }) {
  const program = await contender.start();
  try {
    await outside.tell('aim', { url: program.url });
    const run = newRun();
    const price = await startCounting(services, contender.redisDatabase);
    const { since, posts } = await outside.tell('load', { kind: 'burst', run, people, size, connections });
    const seen = await untilQuiet(outside, run, people * size);
    const seconds = (seen.lastAcceptedAt - since) / 1000;
    return {
      perSecond: seen.answered / seconds,
      seconds,
      sent: people * size,
      answered: seen.answered,
      twice: seen.twice,
      parts: seen.accepted,
      statusesOpen: seen.accepted * 3 - seen.statusesAcknowledged,
      refused: posts.filter(({ status }) => status !== 200).length,
      price: await price(people * size),
    };
  } finally {
    await program.stop();
    await contender.tidy?.();
  }
}

/** Until all is answered and told, or nothing has come for `quietMs`. */
export async function untilQuiet(outside, run, total) {
  let before = '';
  for (let since = Date.now(); ; await delay(250)) {
    const seen = await outside.tell('seen', { run });
    if (seen.answered === total && seen.statusesOpen === 0) return seen;
    const now = `${seen.answered} ${seen.accepted} ${seen.statusesAcknowledged}`;
    if (now !== before) since = Date.now();
    before = now;
    if (Date.now() - since > quietMs) return seen;
  }
}

function inShort({ perSecond, answered, sent, twice, price }) {
  const double = twice > 0 ? `, ${twice} answered twice` : '';
  return `${perSecond.toFixed(0)} messages/s, ${answered} of ${sent} answered${double}, ${price.roundTrips.toFixed(1)} round trips each`;
}
