import { createRandom } from './random.mjs';

/**
 * @typedef {object} Options
 * @property {number} seed what the whole run is drawn from.
 * @property {number} minutes how long faults strike; starting, settling and the drills come on top.
 * @property {number} people
 * @property {'redis' | 'postgres'} backend where the wake-ups go.
 * @property {string} strategy what happens when messages overlap; half of the seeds draw `batch`.
 * @property {number} allowance what a busy machine may add to a wait before it counts as too long, ms.
 * @property {boolean} drill whether the recovery times are measured afterwards, without other faults.
 * @property {boolean} keep whether the evidence is kept when nothing is wrong.
 */

const OTHER_STRATEGIES = ['burst', 'queue', 'debounce', 'drop', 'concurrent', 'interrupt'];

const usage =
  'npm run torture -- [--seed N] [--minutes M] [--people P] [--backend redis|postgres] [--strategy NAME] [--allowance MS] [--no-drill] [--keep]';

/**
 * @param {string[]} args
 * @returns {Options}
 * @throws {RangeError} with the usage.
 */
export function readOptions(args) {
  const given = {
    seed: Date.now() % 1_000_000,
    minutes: 3,
    people: 12,
    allowance: 1_500,
    backend: null,
    strategy: null,
    drill: true,
    keep: false,
  };
  const rest = [...args];
  while (rest.length > 0) {
    const name = rest.shift();
    if (name === '--no-drill') given.drill = false;
    else if (name === '--keep') given.keep = true;
    else if (name === '--backend') given.backend = oneOf(name, rest.shift(), ['redis', 'postgres']);
    else if (name === '--strategy') given.strategy = oneOf(name, rest.shift(), ['batch', ...OTHER_STRATEGIES]);
    else if (['--seed', '--minutes', '--people', '--allowance'].includes(name)) {
      given[name.slice(2)] = positive(name, rest.shift());
    } else throw new RangeError(`unknown argument ${name}\n${usage}`);
  }
  const random = createRandom(given.seed);
  const backend = random.fork('backend').chance(0.5) ? 'redis' : 'postgres';
  return {
    ...given,
    backend: given.backend ?? (process.env.SKIP_REDIS === '1' ? 'postgres' : backend),
    strategy: given.strategy ?? drawStrategy(random.fork('strategy')),
  };
}

const drawStrategy = (random) => (random.chance(0.5) ? 'batch' : random.pick(OTHER_STRATEGIES));

function oneOf(name, value, words) {
  if (words.includes(value)) return value;
  throw new RangeError(`${name} is one of ${words.join(', ')}\n${usage}`);
}

function positive(name, text) {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new RangeError(`${name} needs a number above 0\n${usage}`);
}
