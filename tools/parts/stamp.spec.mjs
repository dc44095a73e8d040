import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { filesBelow, hashFiles } from './stamp.mjs';

const folder = mkdtempSync(join(tmpdir(), 'stamp-'));
const file = join(folder, 'a', 'b.ts');

beforeAll(() => {
  mkdirSync(join(folder, 'a', 'node_modules'), { recursive: true });
  writeFileSync(file, 'one');
  writeFileSync(join(folder, 'a', 'c.md'), '');
  writeFileSync(join(folder, 'a', 'node_modules', 'd.ts'), '');
});

afterAll(() => rmSync(folder, { recursive: true }));

test('files are found below folders, by name, and without what is left out', () => {
  const found = filesBelow(
    [folder, join(folder, 'missing')],
    (path) => path.endsWith('.ts'),
    new Set(['node_modules']),
  );
  expect(found.map((path) => relative(folder, path))).toEqual([join('a', 'b.ts')]);
  expect(filesBelow([folder])).toHaveLength(3);
  expect(filesBelow([file])).toEqual([file]);
});

test('a hash follows the content, not the time', () => {
  const before = hashFiles([file]);
  utimesSync(file, 1, 1);
  expect(hashFiles([file])).toBe(before);
  writeFileSync(file, 'two');
  expect(hashFiles([file])).not.toBe(before);
});
