import { readFileSync } from 'node:fs';
import { run, tail } from './command.mjs';
import { at } from './paths.mjs';

/**
 * Known vulnerabilities in what the lock file names, as npm's own service knows them; where that service does not
 * answer (a mirror often has none), only what the lock file itself can show.
 * @returns {Promise<{how: string, problems: string[]}>}
 */
export async function auditDependencies() {
  const problems = lockProblems(JSON.parse(readFileSync(at('package-lock.json'), 'utf8')));
  const { output } = await run('npm', ['audit', '--json', '--package-lock-only', '--audit-level=high']);
  const report = parse(output);
  const counts = report?.metadata?.vulnerabilities;
  if (counts === undefined) {
    const why = (report?.message ?? report?.error?.summary ?? tail(output, 1)).replace(/ - \w+ http.*/, '');
    return { how: `lock file only, the advisory service does not answer: ${why}`, problems };
  }
  for (const level of ['high', 'critical']) {
    const names = Object.values(report.vulnerabilities).filter(({ severity }) => severity === level);
    problems.push(...names.map(({ name }) => `${name}: ${level} vulnerability, see npm audit`));
  }
  return { how: 'npm audit and lock file', problems };
}

/** What would let an install bring something else than what was reviewed. */
export function lockProblems({ packages, lockfileVersion }) {
  const problems = lockfileVersion >= 3 ? [] : [`lock file version ${lockfileVersion}`];
  const root = packages[''];
  for (const [name, range] of Object.entries({ ...root.dependencies, ...root.devDependencies })) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range)) problems.push(`${name}: ${range} is not an exact version`);
  }
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || entry.link === true) continue;
    if (entry.inBundle !== true && !/^sha512-/.test(entry.integrity ?? ''))
      problems.push(`${path}: no SHA-512 integrity`);
    if (entry.resolved !== undefined) problems.push(`${path}: names the host that it came from`);
    if (/^(git|http|file)/.test(entry.version ?? '')) problems.push(`${path}: does not come from a registry`);
  }
  return problems;
}

function parse(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  } catch {
    return null;
  }
}
