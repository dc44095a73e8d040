import { parseArgs } from 'node:util';
import { Failure } from '../../tools/parts/failure.mjs';

const usage = `usage: npm run bench -- [ingest] [--rounds 5] [--seconds 6] [--warmup 2] [--connections 64]
                    [--only oneturn,naive-fastify] [--no-kills] [--profile]`;

/**
 * What to measure and how long.
 * @returns {{scenarios: string[], rounds: number, seconds: number, warmup: number, connections: number,
 *   only: string[] | null, kills: boolean, profile: boolean}}
 * @throws {Failure} with the usage.
 */
export function readOptions(args, scenarios) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      allowNegative: true,
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '6' },
        warmup: { type: 'string', default: '2' },
        connections: { type: 'string', default: '64' },
        only: { type: 'string' },
        kills: { type: 'boolean', default: true },
        profile: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
  const { values, positionals } = parsed;
  const named = positionals.length === 0 || positionals.includes('all') ? scenarios : positionals;
  const unknown = named.find((name) => !scenarios.includes(name));
  if (unknown !== undefined) throw new Failure(`there is no benchmark ${unknown}\n${usage}`);
  const whole = (name, least) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least) throw new Failure(`--${name} ${values[name]}\n${usage}`);
    return value;
  };
  return {
    scenarios: named,
    rounds: whole('rounds', 0),
    seconds: whole('seconds', 1),
    warmup: whole('warmup', 0),
    connections: whole('connections', 1),
    only: values.only?.split(',') ?? null,
    kills: values.kills,
    profile: values.profile,
  };
}
