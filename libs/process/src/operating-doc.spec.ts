import { readFileSync } from 'node:fs';
import { describeEnv } from './describe-env.js';

it('docs/operating.md lists every variable with its default and bounds', () => {
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
  for (const setting of describeEnv()) {
    const row = page.split('\n').find((line) => line.startsWith(`| ${setting.name} |`));
    expect(row).toContain(setting.bounds);
    expect(row).toContain(setting.default === null ? '| ' : `\`${setting.default}\``);
  }
});
