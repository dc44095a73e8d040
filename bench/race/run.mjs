/**
 * The race between a turn's last look for more and its release: people write twice, the second time about when the turn
 * of the first ends, and never again. What nobody answers then has stranded. Strategy `queue`, against Chat SDK's.
 */
import { judge } from '../parts/judge.mjs';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { inBench } from '../parts/scenario.mjs';
import { table } from '../parts/summary.mjs';
import { prepareContenders } from '../pipeline/contenders.mjs';
import { untilQuiet } from '../pipeline/run.mjs';

const defaults = { rounds: 2_000, turns: 50, only: ['oneturn', 'chat-sdk-queue'] };
const modelMs = 60;
/** The end of a turn comes this much after the model's answer at the latest, ms. */
const spread = 60;

/** @returns {Promise<boolean>} whether every bar was met. */
export function raceBenchmark(given, say) {
  const { rounds, turns, only } = withDefaults({ ...given, only: given.only ?? undefined }, defaults);
  const work = async ({ services, outside }) => {
    const options = { turns, only, old: 0, window: 0, strategy: 'queue' };
    const contenders = await prepareContenders(services, outside, options, say);
    await outside.tell('set', { modelMs });
    const runs = [];
    for (const contender of contenders) {
      runs.push({ name: contender.name, ...(await measure(contender, outside, rounds, turns)) });
      say(`${contender.name}: ${runs.at(-1).stranded} stranded`);
    }
    return report(runs, rounds);
  };
  return inBench('race', say, work, { save: given.save });
}

async function measure(contender, outside, people, connections) {
  const program = await contender.start();
  try {
    await outside.tell('aim', { url: program.url });
    const run = newRun();
    const around = modelMs + spread / 2;
    const { posts } = await outside.tell('load', { kind: 'pair', run, people, connections, around, spread });
    const seen = await untilQuiet(outside, run, people * 2);
    const acknowledged = posts.filter(({ status }) => status === 200).length;
    return { acknowledged, answered: seen.answered, stranded: acknowledged - seen.answered, twice: seen.twice };
  } finally {
    await program.stop();
    await contender.tidy?.();
  }
}

export function report(runs, rounds) {
  const ours = runs.filter(({ name }) => name === 'oneturn');
  const { lines, failed } = judge(
    ours.flatMap(({ stranded, twice }) => [
      { what: 'oneturn: stranded', value: stranded, most: 0 },
      { what: 'oneturn: answered twice', value: twice, most: 0 },
    ]),
  );
  const rows = runs.map(({ name, acknowledged, answered, stranded, twice }) => [
    name,
    ...[acknowledged, answered, stranded, twice].map((count) => count.toLocaleString('en-US')),
  ]);
  const text = [
    `race, strategy queue, ${rounds.toLocaleString('en-US')} rounds of two messages, the second about when the turn ends`,
    '',
    table(['program', 'acknowledged', 'answered', 'stranded', 'answered twice'], rows),
    '',
    ...lines,
  ].join('\n');
  return { text, failed, result: { options: { rounds }, programs: runs } };
}
