import { createLogger, shownAddress } from './log.js';
import { logEvent } from './log-event.js';
import { NestLog } from './nest-log.js';

function captured(level = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('spec', level, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe('createLogger', () => {
  it('blanks secrets, also nested ones', () => {
    const { log, lines } = captured();
    log.info({ token: 'hunter2', account: { accessToken: 'hunter2' }, a: { b: { password: 'hunter2' } } }, 'x');
    log.info({ req: { headers: { authorization: 'hunter2', 'x-hub-signature-256': 'hunter2' } } }, 'x');
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(lines[0]).toMatchObject({ service: 'spec', level: 'info', msg: 'x' });
  });

  it('writes events under their name, those for a person as warnings', () => {
    const { log, lines } = captured();
    logEvent(log, 'turn-started', { batchId: '7' });
    logEvent(log, 'part-unknown', { partId: '8' });
    expect(lines).toMatchObject([
      { event: 'turn-started', batchId: '7', level: 'info' },
      { event: 'part-unknown', partId: '8', level: 'warn' },
    ]);
  });

  it('speaks for Nest', () => {
    const { log, lines } = captured();
    new NestLog(log).error(new Error('expected'), 'Router');
    new NestLog(log).log('mapped', 'Router');
    expect(lines[0]).toMatchObject({
      level: 'error',
      msg: 'expected',
      context: 'Router',
      err: { message: 'expected' },
    });
    expect(lines[1]).toMatchObject({ level: 'debug', msg: 'mapped', context: 'Router' });
  });
});

it('shownAddress hides who and with what', () => {
  expect(shownAddress('postgres://me:hunter2@db:5432/x?sslkey=hunter2')).toBe('postgres://db:5432/x');
  expect(shownAddress('hunter2')).toBe('(not an address)');
});
