import { describeEnv, unusedSettings } from './describe-env.js';
import { commaList, EnvError, readEnv, requireDatabaseUrl } from './env.js';

function problems(source: NodeJS.ProcessEnv): readonly string[] {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.problems;
    throw error;
  }
  return [];
}

describe('readEnv', () => {
  it('has the documented defaults, frozen', () => {
    const env = readEnv({});
    expect(env).toMatchObject({
      WINDOW_MS: 20_000,
      MAX_WAIT_MS: 60_000,
      LEASE_MS: 120_000,
      LEASE_RENEW_MS: 30_000,
      MAX_ATTEMPTS: 4,
      RETRY_BASE_MS: 5000,
      LATE_AFTER_MS: 900_000,
      TURN_CONCURRENCY: 5,
      SWEEP_MS: 1000,
      POLL_MS: 100,
      SHUTDOWN_GRACE_MS: 10_000,
      UNKNOWN_WAIT_MS: 30_000,
      UNKNOWN_SEND: 'review',
      MODEL_TIMEOUT_MS: 60_000,
      TOOL_TIMEOUT_MS: 30_000,
      SEND_TIMEOUT_MS: 15_000,
      TURN_MAX_MS: 600_000,
      INGEST_PORT: 3001,
      BATCHER_PORT: 3002,
      RESPONDER_PORT: 3003,
      CONSOLE_PORT: 3000,
      SIMULATOR_PORT: 3900,
      HOST: '127.0.0.1',
      AI_MODEL: 'demo',
      LOG_LEVEL: 'info',
      OVERLAP_STRATEGY: 'batch',
      BODY_LIMIT_BYTES: 4_194_304,
    });
    expect(Object.isFrozen(env)).toBe(true);
    expect(env.DATABASE_URL).toBeUndefined();
  });

  it('reads numbers and treats empty or blank values as not set', () => {
    expect(readEnv({ WINDOW_MS: '0', MAX_WAIT_MS: ' 5000 ' })).toMatchObject({ WINDOW_MS: 0, MAX_WAIT_MS: 5000 });
    expect(readEnv({ WINDOW_MS: '', AI_MODEL: '  ' })).toMatchObject({ WINDOW_MS: 20_000, AI_MODEL: 'demo' });
  });

  it.each([
    ['WINDOW_MS', '300001'],
    ['WINDOW_MS', '-1'],
    ['WINDOW_MS', '1.5'],
    ['WINDOW_MS', 'soon'],
    ['MAX_WAIT_MS', '3600001'],
    ['LEASE_MS', '999'],
    ['RETRY_BASE_MS', '49'],
    ['SWEEP_MS', '9'],
    ['POLL_MS', '9'],
    ['DEBOUNCE_MS', '0'],
    ['MAX_QUEUE_SIZE', '0'],
    ['MAX_CONCURRENT', '0'],
    ['TURN_CONCURRENCY', '0'],
    ['INGEST_PORT', '65536'],
    ['LOG_LEVEL', 'loud'],
    ['ON_QUEUE_FULL', 'panic'],
    ['DEBOUNCE_MS', '-1'],
    ['MAX_QUEUE_SIZE', '0'],
    ['MAX_CONCURRENT', '0'],
    ['MAX_CONCURRENT', '1.5'],
    ['LOCK_SCOPE', 'galaxy'],
    ['OVERLAP_STRATEGY', 'shuffle'],
    ['ALERT_WEBHOOK_URL', 'example.org'],
  ])('refuses %s=%s and says what is allowed', (name, value) => {
    const [line, ...rest] = problems({ [name]: value });
    expect(rest).toEqual([]);
    expect(line).toMatch(new RegExp(`^${name} is .*: must be .+\\. Correct it`));
  });

  it('lists every problem at once', () => {
    expect(problems({ WINDOW_MS: 'x', LEASE_MS: '1' })).toHaveLength(2);
  });

  it('checks values against each other', () => {
    expect(problems({ WINDOW_MS: '5000', MAX_WAIT_MS: '4000' })[0]).toMatch(
      /MAX_WAIT_MS .* at least WINDOW_MS \(5000\)/,
    );
    expect(problems({ LEASE_MS: '1000', LEASE_RENEW_MS: '600' })[0]).toMatch(/LEASE_RENEW_MS .* half of LEASE_MS/);
  });

  it.each(['batch', 'burst', 'queue', 'debounce', 'drop', 'concurrent', 'interrupt'])('has strategy %s', (name) => {
    expect(readEnv({ OVERLAP_STRATEGY: name }).OVERLAP_STRATEGY).toBe(name);
  });

  it.each([
    [{ AI_MODEL: 'http', ASSISTANT_URL: 'http://127.0.0.1:1/' }, 'ASSISTANT_SECRET'],
    [{ AI_MODEL: 'openai:gpt-5' }, 'OPENAI_API_KEY'],
    [{ AI_MODEL: 'openai-compatible:local' }, 'OPENAI_BASE_URL'],
    [{ AI_MODEL: 'anthropic:' }, 'AI_MODEL'],
    [{ AI_MODEL: 'oracle:delphi' }, 'AI_MODEL'],
  ])('checks what the model needs: %j', (source, named) => {
    expect(problems(source)[0]).toMatch(new RegExp(`^${named} `));
  });

  it('takes a model name that itself holds a colon', () => {
    expect(problems({ AI_MODEL: 'openai-compatible:llama3:8b', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })).toEqual([]);
  });

  it('never prints a secret', () => {
    const lines = problems({ DATABASE_URL: 'mysql://root:hunter2@db/x', REDIS_URL: 'hunter2' }).join('\n');
    expect(lines).toContain('DATABASE_URL');
    expect(lines).not.toContain('hunter2');
  });
});

describe('the rest', () => {
  it('refuses a lone service without a database, clearly', () => {
    expect(() => requireDatabaseUrl(readEnv({}))).toThrow(/DATABASE_URL is not set/);
    expect(requireDatabaseUrl(readEnv({ DATABASE_URL: 'postgres://a@b/c' }))).toBe('postgres://a@b/c');
  });

  it('splits rotated secrets', () => {
    expect(commaList('new, old,')).toEqual(['new', 'old']);
    expect(commaList(undefined)).toEqual([]);
  });

  it('warns of options without effect', () => {
    const source = { DEBOUNCE_MS: '5', WINDOW_MS: '5' };
    expect(unusedSettings('batch', source)).toEqual([expect.stringContaining('DEBOUNCE_MS')]);
    expect(unusedSettings('burst', source)).toEqual([]);
  });

  it('describes every setting', () => {
    const described = describeEnv();
    expect(described.find((setting) => setting.name === 'WINDOW_MS')).toEqual({
      name: 'WINDOW_MS',
      meaning: expect.any(String),
      default: '20000',
      bounds: 'a whole number from 0 to 300000',
      secret: false,
    });
    expect(described.find((setting) => setting.name === 'CONSOLE_API_TOKEN')).toMatchObject({
      default: null,
      secret: true,
    });
  });
});
