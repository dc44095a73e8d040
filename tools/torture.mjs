/**
 * `npm run torture -- --seed N --minutes M --people P --backend redis|postgres`: the promises of docs/promises.md under
 * faults, on a Postgres and a Redis of its own. Ends with 1 when one is broken, or when a kind of fault hit nothing.
 */
import { Failure, runTool } from './parts/failure.mjs';
import { setup } from './setup.mjs';

await runTool('torture', async () => {
  const args = process.argv.slice(2);
  const say = (line) => console.log(line);
  const { readOptions } = await import('../e2e/torture/options.mjs');
  const options = optionsOf(
    readOptions,
    args.filter((arg) => arg !== '--no-setup'),
  );
  if (!args.includes('--no-setup')) await setup(say);
  const { torture } = await import('../e2e/torture/run.mjs');
  return (await torture(options, say)) ? 0 : 1;
});

function optionsOf(readOptions, args) {
  try {
    return readOptions(args);
  } catch (error) {
    throw error instanceof RangeError ? new Failure(error.message) : error;
  }
}
