/**
 * `npm run sabotage -- [words of one name]`: breaks a copy of the code in one place after the other and shows which check
 * catches each. Ends with 1 when one is caught by nothing: then the checks are a rubber stamp.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleServices } from './parts/bundle.mjs';
import { run, tail } from './parts/command.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { at } from './parts/paths.mjs';
import { setup } from './setup.mjs';

const copied = ['apps', 'libs', 'e2e', 'prisma', 'tools', 'dist', 'docs', 'package.json', 'nx.json'];
const configured = ['tsconfig.json', 'tsconfig.base.json', 'tsconfig.check.json', 'jest.config.mjs'];

await runTool('sabotage', async () => {
  const say = (line) => console.log(line);
  const words = process.argv.slice(2).filter((arg) => arg !== '--no-setup');
  if (!process.argv.includes('--no-setup')) await setup(say);
  const { SABOTAGES } = await import('../e2e/torture/sabotages/list.mjs');
  const chosen = SABOTAGES.filter(({ name }) => name.includes(words.join(' ')));
  if (chosen.length === 0) throw new Failure(`no sabotage is called ${words.join(' ')}`);
  const copy = makeCopy();
  const { startTestServices } = await import('./test-services.mjs');
  const services = await startTestServices(say);
  const stop = async () => {
    await services.stop();
    rmSync(copy, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(130)));
  const uncaught = [];
  try {
    say('| sabotage | caught by |\n|---|---|');
    for (const sabotage of chosen) {
      const caught = await attempt(copy, sabotage, services.env);
      say(`| ${sabotage.name} | ${caught ?? 'NOTHING'} |`);
      if (caught === null) uncaught.push(sabotage.name);
    }
  } finally {
    await stop();
  }
  if (uncaught.length > 0) throw new Failure(`caught by nothing: ${uncaught.join(', ')}`);
});

function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'oneturn-sabotage-'));
  chmodSync(copy, 0o755);
  for (const name of [...copied, ...configured]) {
    cpSync(at(name), join(copy, name), { recursive: true, preserveTimestamps: true, force: true, errorOnExist: false });
  }
  symlinkSync(at('node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function attempt(copy, { name, edits, caughtBy }, env) {
  const { runCheck } = await import('../e2e/torture/sabotages/run-check.mjs');
  const originals = new Map(edits.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]));
  try {
    for (const { file, from, to } of edits) edit(name, join(copy, file), from, to);
    await build(copy, name);
    for (const check of caughtBy) {
      const caught = await runCheck(copy, check, env);
      if (caught !== null) return caught;
    }
    return null;
  } finally {
    for (const [file, text] of originals) writeFileSync(join(copy, file), text);
  }
}

function edit(name, file, from, to) {
  const text = readFileSync(file, 'utf8');
  if (text.split(from).length !== 2) throw new Failure(`${name}: the place to break is not (or not only) in ${file}`);
  // A function, because `$` has a meaning in a replacement text.
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}

async function build(copy, name) {
  const { code, output } = await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-b'], {
    cwd: copy,
  });
  if (code !== 0) throw new Failure(`${name}: the sabotaged copy does not compile:\n${tail(output, 20)}`);
  await bundleServices(copy);
}
