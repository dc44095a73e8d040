import { readFileSync } from 'node:fs';
import { describeEnv } from './describe-env.js';

it('.env.example lists exactly the variables of the schema, with their defaults', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n');
  const listed = lines.flatMap((line) => {
    const match = /^#\s?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line);
    return match ? [`${match[1]}=${match[2]}`] : [];
  });
  expect(listed).toEqual(describeEnv().map((setting) => `${setting.name}=${setting.default ?? ''}`));
});
