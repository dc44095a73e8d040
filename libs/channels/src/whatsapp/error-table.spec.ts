import { readFileSync } from 'node:fs';
import { classifyExchange } from './classify-answer.js';
import { verdictOn } from './error-table.js';

const answer = (status: number, body: string, retryAfter: string | null = null) =>
  classifyExchange({ kind: 'answer', status, body, retryAfter });
const file = (name: string) => readFileSync(new URL(`../../payloads/responses/${name}.json`, import.meta.url), 'utf8');
const error = (code: unknown, more: object = {}) => JSON.stringify({ error: { message: 'no', code, ...more } });

describe('answers from the payload files', () => {
  it.each([
    ['wa-send-200-phone', 200, { kind: 'accepted', providerId: expect.stringMatching(/^wamid\./) }],
    ['wa-send-200-bsuid-no-wa-id', 200, { kind: 'accepted' }],
    ['wa-send-200-ninth-digit-differs', 200, { kind: 'accepted' }],
    ['wa-send-200-template-held', 200, { kind: 'accepted' }],
    ['wa-mark-read-200', 200, { kind: 'unknown' }],
    ['wa-error-131047-sync', 400, { kind: 'window-closed', error: { code: '131047' } }],
    ['wa-error-131056-pair-rate', 400, { kind: 'retry', scope: 'person', afterMs: null, error: { code: '131056' } }],
    ['wa-error-190-token', 401, { kind: 'channel-paused', error: { code: '190' } }],
    ['graph-error-2-transient', 500, { kind: 'unknown', error: { code: '2' } }],
  ])('%s', (name, status, expected) => {
    expect(answer(status, file(name))).toMatchObject(expected);
  });

  it('keeps the words of an error', () => {
    expect(answer(400, file('wa-error-131047-sync'))).toEqual({
      kind: 'window-closed',
      error: {
        code: '131047',
        message:
          '(#131047) Re-engagement message: Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
      },
    });
  });
});

describe('the code decides, whatever the HTTP status', () => {
  it.each([
    [0, 'channel-paused'],
    [10, 'channel-paused'],
    [200, 'channel-paused'],
    [299, 'channel-paused'],
    [368, 'channel-paused'],
    [131048, 'channel-paused'],
    [1, 'unknown'],
    [131000, 'unknown'],
    [131026, 'failed'],
    [100, 'failed'],
    [131299, 'failed'],
    [132016, 'failed'],
  ])('%i is %s', (code, kind) => {
    for (const status of [200, 400, 429, 500]) expect(answer(status, error(code))).toMatchObject({ kind });
  });

  it.each([
    [131016, 'part'],
    [133004, 'part'],
    [131208, 'part'],
    [131056, 'person'],
    [4, 'account'],
    [80007, 'account'],
    [130429, 'account'],
    [131057, 'account'],
  ])('%i waits: %s', (code, scope) => {
    expect(answer(400, error(code))).toMatchObject({ kind: 'retry', scope });
  });

  it('reads a code that came as text, and has no row twice', () => {
    expect(answer(400, error('131047'))).toMatchObject({ kind: 'window-closed' });
    expect(verdictOn(199)).toBeNull();
    expect(verdictOn(300)).toBeNull();
  });
});

describe('answers that name no known code', () => {
  it.each([
    [408, '', 'unknown'],
    [401, '', 'channel-paused'],
    [403, '<html>', 'channel-paused'],
    [404, '', 'failed'],
    [301, '', 'channel-paused'],
    [500, 'oops', 'unknown'],
    [502, '<html>', 'unknown'],
    [503, '', 'unknown'],
    [200, '', 'unknown'],
    [200, '[]', 'unknown'],
    [200, '{"messages":[]}', 'unknown'],
    [200, '{"messages":[{"id":""}]}', 'unknown'],
    [200, '{"messages":{"0":{"id":"wamid.X"}}}', 'unknown'],
    [400, error(987654), 'failed'],
    [400, error(987654, { is_transient: true }), 'unknown'],
    [500, error(987654), 'unknown'],
    [400, error(null), 'failed'],
    [400, '{"error":"text"}', 'failed'],
  ])('%i %s is %s', (status, body, kind) => {
    expect(answer(status, body)).toMatchObject({ kind });
  });

  it('obeys Retry-After within an hour', () => {
    expect(answer(429, '')).toMatchObject({
      kind: 'retry',
      scope: 'account',
      afterMs: null,
      error: { code: 'http-429' },
    });
    expect(answer(429, '', '7')).toMatchObject({ afterMs: 7000 });
    expect(answer(429, '', '999999')).toMatchObject({ afterMs: 3_600_000 });
    expect(answer(400, error(130429), 'soon')).toMatchObject({ afterMs: null });
  });
});
