/**
 * Lints code that does not exist and must be refused. A wall that no longer bites (a rule renamed, a tag mistyped, a
 * project graph that could not be read) looks exactly like clean code; this is how it is noticed.
 */
import { ESLint } from 'eslint';
import { at, isProgram, root } from './parts/paths.mjs';
import { runTool } from './parts/failure.mjs';

const wall = '@nx/enforce-module-boundaries';
const imports = 'no-restricted-imports';
const syntax = 'no-restricted-syntax';
const use = (from) => `import * as other from '${from}';\nexport const used = other;\n`;

/** [file, code, the rule that must refuse it] */
const refused = [
  ['apps/ingest/src/canary.ts', use('#testing'), wall],
  ['apps/ingest/src/canary.ts', use('#batcher'), wall],
  ['apps/ingest/src/canary.ts', use('../../batcher/src/app.module.js'), wall],
  ['apps/ingest/src/canary.ts', use('@prisma/client'), imports],
  ['apps/responder/src/canary.ts', use('ioredis'), imports],
  ['apps/batcher/src/canary.ts', use('node:process'), imports],
  ['apps/simulator/src/canary.ts', use('#channels'), imports],
  ['apps/simulator/src/canary.ts', use('#domain'), imports],
  ['apps/simulator/src/canary.ts', use('ioredis'), imports],
  ['apps/simulator/src/canary.ts', 'export const a = process.env.A;\n', syntax],
  ['libs/inbox/src/canary.ts', use('#queue'), wall],
  ['libs/assistant/src/canary.ts', use('#inbox'), wall],
  ['libs/channels/src/canary.ts', use('#testing'), wall],
  ['libs/queue/src/canary.ts', 'export const a = process.env.A;\n', syntax],
  ['libs/process/src/canary.ts', use('#inbox'), wall],
  ['libs/process/src/canary.ts', use('#ingest'), wall],
  ['libs/testing/src/canary.ts', use('#inbox'), wall],
  ['libs/domain/src/canary.ts', use('#process'), wall],
  ['libs/domain/src/canary.ts', use('#process'), imports],
  ['libs/domain/src/canary.ts', use('node:fs'), imports],
  ['libs/domain/src/canary.ts', use('zod'), imports],
  ['libs/domain/src/canary.spec.ts', use('#inbox'), wall],
  ['libs/domain/src/canary.ts', 'export const a = async () => 1;\n', syntax],
  ['libs/domain/src/canary.ts', 'export async function a() {}\n', syntax],
  ['libs/domain/src/canary.ts', 'export const a = Date.now();\n', syntax],
  ['libs/domain/src/canary.ts', 'export const a = new Date();\n', syntax],
  ['libs/domain/src/canary.ts', 'export const a = Math.random();\n', syntax],
  ['libs/domain/src/canary.ts', 'export const a = process.env.A;\n', syntax],
  ['libs/domain/src/canary.ts', 'setTimeout(() => {}, 1);\nexport {};\n', 'no-restricted-globals'],
  ['libs/domain/src/canary.ts', 'export const a = (b: any) => b;\n', '@typescript-eslint/no-explicit-any'],
  ['libs/domain/src/canary.ts', `${'export {};\n'.repeat(251)}`, 'max-lines'],
  ['libs/inbox/src/canary.spec.ts', 'await new Promise((done) => setTimeout(done, 9));\nexport {};\n', syntax],
  ['libs/inbox/src/canary.int-spec.ts', "jest.mock('./a.js');\nexport {};\n", syntax],
];

/** Code of the same places that must pass, so that a wall which refuses everything is noticed too. */
const accepted = [
  ['apps/ingest/src/canary.ts', use('#inbox')],
  ['apps/ingest/src/canary.int-spec.ts', use('#testing')],
  ['apps/simulator/src/canary.ts', use('#process')],
  ['libs/inbox/src/canary.ts', use('#domain')],
  ['apps/standalone/src/canary.ts', use('#ingest')],
  ['libs/domain/src/canary.ts', use('./inbound.js')],
  ['libs/domain/src/canary.ts', 'export const a = (now: number) => new Date(now).toISOString();\n'],
  ['libs/domain/src/canary.spec.ts', use('fast-check')],
  ['libs/process/src/canary.ts', 'export const a = process.env.A;\n'],
  ['e2e/canary.e2e-spec.ts', use('#testing')],
];

/** @returns {Promise<string[]>} one line for each canary that did not end as it must. */
export async function lintCanaries() {
  const eslint = new ESLint({ cwd: root });
  const rulesAgainst = async (file, code) => {
    const [result] = await eslint.lintText(code, { filePath: at(file) });
    return (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
  };
  const wrong = [];
  for (const [file, code, rule] of refused) {
    const against = await rulesAgainst(file, code);
    if (!against.includes(rule)) wrong.push(`${rule} lets this pass in ${file}: ${code.split('\n')[0]}`);
  }
  for (const [file, code] of accepted) {
    const against = await rulesAgainst(file, code);
    if (against.length > 0) wrong.push(`${against.join(', ')} refuses this in ${file}: ${code.split('\n')[0]}`);
  }
  return wrong;
}

if (isProgram(import.meta.url)) {
  await runTool('lint-canary', async () => {
    const wrong = await lintCanaries();
    for (const line of wrong) console.log(line);
    console.log(`${refused.length + accepted.length} canaries, ${wrong.length} wrong`);
    return wrong.length;
  });
}
