import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock, tryLock } from './lock.mjs';
import { processMark } from './process-mark.mjs';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
const file = join(folder, 'a.lock');

afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

test('a lock is held until it is freed', async () => {
  const release = tryLock(file);
  expect(tryLock(file)).toBeNull();
  let waited = 0;
  const second = takeLock(file, (pid) => {
    waited = pid;
    release();
  });
  (await second)();
  expect(waited).toBe(process.pid);
  expect(tryLock(file)).not.toBeNull();
});

test('the lock of a process that was killed is taken over', async () => {
  const holder = spawn('sleep', ['60']);
  writeFileSync(file, processMark(holder.pid));
  expect(tryLock(file)).toBeNull();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(tryLock(file)).not.toBeNull();
});

test('a process that has the id of a dead holder does not keep its lock', () => {
  writeFileSync(file, `${process.pid} 1`);
  expect(tryLock(file)).not.toBeNull();
});
