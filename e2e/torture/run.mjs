/** One run of the torture test: load and faults, rest, audit from outside, tables. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from './audit/audit.mjs';
import { collectEvidence } from './evidence.mjs';
import { drill } from './drill.mjs';
import { runSchedule } from './faults/schedule.mjs';
import { keepFolder, makeFolder } from './lab/folder.mjs';
import { openLab } from './lab/lab.mjs';
import { People } from './load/people.mjs';
import { Colleague } from './load/takeovers.mjs';
import { createRandom } from './random.mjs';
import { render } from './report.mjs';
import { settle } from './settle.mjs';
import { serviceEnv, TIMES, SEND_BY_MS } from './times.mjs';

const SETTLE_MS = 90_000;

/**
 * @param {import('./options.mjs').Options} options
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether every promise was kept and every kind of fault struck something live.
 */
export async function torture(options, say) {
  const folder = makeFolder();
  const random = createRandom(options.seed);
  say(
    `torture: seed ${options.seed}, ${options.minutes} min, ${options.people} people, wake-ups over ${options.backend}, strategy ${options.strategy}`,
  );
  let kept = false;
  const opening = openLab(options, folder, random);
  // A database in a session of its own would outlive a run that is broken off, at whatever moment.
  const leave = () => process.exit(130);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => void opening.then((lab) => lab.close()).then(leave, leave));
  }
  const lab = await opening;
  try {
    const evidence = await strain(lab, options, random, say);
    const findings = audit(evidence);
    const report = render(evidence, findings);
    say(report.text);
    kept = options.keep || !report.passed;
    if (kept) {
      writeFileSync(join(folder, 'evidence.json'), JSON.stringify(evidence));
      writeFileSync(join(folder, 'report.txt'), report.text);
      say(`everything is kept in ${folder}`);
    }
    return report.passed;
  } finally {
    await lab.close();
    if (kept) keepFolder(folder);
    else rmSync(folder, { recursive: true, force: true });
  }
}

async function strain(lab, options, random, say) {
  const startedAt = Date.now();
  const people = new People(lab, options, random.fork('people'));
  const colleague = new Colleague(lab, people, random.fork('colleague'));
  people.run();
  colleague.run();
  const strikes = await runSchedule(lab, random.fork('faults'), startedAt + options.minutes * 60_000, say);
  strikes.addCounted('takeover', colleague.takeovers.filter(({ live }) => live).length, 'turn or part');
  await people.stop();
  await colleague.stop();
  const faultsEndedAt = Date.now();
  const restless = await settle(lab, SETTLE_MS);
  // Its waits are those of a window: the other strategies are tortured for what they keep.
  const drilled = options.drill && options.strategy === 'batch' && restless.length === 0;
  const recovery = drilled ? await drill(lab, options, say) : null;
  const restlessAfter = recovery ? await settle(lab, SETTLE_MS) : [];
  if (people.failure) say(`the simulator refused a message: ${people.failure.message}`);
  return collectEvidence(lab, {
    options,
    times: { ...TIMES, sendBy: SEND_BY_MS },
    env: serviceEnv(options),
    startedAt,
    faultsEndedAt,
    endedAt: Date.now(),
    restless: [...restless, ...restlessAfter],
    recovery,
    said: [...people.said, ...(recovery?.said ?? [])],
    takeovers: colleague.takeovers,
    strikes: { table: strikes.table(), missing: strikes.missing(), list: strikes.list },
  });
}
