import fc from 'fast-check';
import type { ParsedItem } from '#domain';
import { parseBody } from './parse-body.js';

const GOOD = {
  from: '15550100311',
  id: 'wamid.GOOD',
  timestamp: '1796040000',
  type: 'text',
  text: { body: 'still here' },
};

const bytes = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const parse = (body: unknown) => parseBody(bytes(body));
const entry = (value: unknown, field: unknown = 'messages') => ({
  entry: [{ id: '1', time: 5, changes: [{ field, value }] }],
});
const value = (more: object) => ({ metadata: { phone_number_id: '402600000000201' }, ...more });
const only = (items: ParsedItem[]): ParsedItem => {
  expect(items).toHaveLength(1);
  return items[0] as ParsedItem;
};
const good = (items: ParsedItem[]) => items.filter((item) => item.externalId === 'wamid.GOOD');

describe('a body that cannot be read', () => {
  it.each([
    ['no JSON', '{'],
    ['empty', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[]'],
    ['no entries', '{}'],
    ['entries of another kind', '{"entry":{}}'],
  ])('%s is one unreadable item with the bytes', (_case, body) => {
    const item = only(parse(body));
    expect(item).toMatchObject({ accountExternalId: null, rawIsBase64: true, event: { kind: 'unreadable' } });
    expect(Buffer.from(item.raw, 'base64').toString()).toBe(body);
    expect(item.externalId).toMatch(/^[0-9a-f]{64}$/);
  });

  it('with nothing in it is a notice', () => {
    expect(only(parse({ entry: [] })).event).toMatchObject({ kind: 'notice', what: 'empty' });
  });
});

describe('what is broken spoils only itself', () => {
  it('among entries, changes, messages and statuses', () => {
    const change = {
      field: 'messages',
      value: value({ messages: [null, GOOD, [], 'x', {}], statuses: [null, { id: 7 }] }),
    };
    const items = parse({ entry: [null, 7, { changes: null }, { changes: [null, { value: [] }, change] }] });
    expect(good(items)).toHaveLength(1);
    expect(items.map((item) => item.event.kind).filter((kind) => kind !== 'unreadable')).toEqual(['message']);
    expect(items).toHaveLength(12);
  });

  it('where a list should be', () => {
    const items = parse(entry(value({ messages: { 0: GOOD }, statuses: [{ id: 'wamid.S', status: 'sent' }] })));
    expect(items.map((item) => item.event.kind)).toEqual(['unreadable', 'status']);
  });
});

describe('ids and hashes', () => {
  it('an item without an id is known by its content', () => {
    const nameless = { ...GOOD, id: undefined };
    const one = only(parse(entry(value({ messages: [nameless] }))));
    expect(one.externalId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(only(parse(entry(value({ messages: [{ ...nameless }] })))).externalId).toBe(one.externalId);
    expect(only(parse(entry(value({ messages: [{ ...nameless, timestamp: '2' }] })))).externalId).not.toBe(
      one.externalId,
    );
  });

  it('an id that Postgres refuses, or of absurd length, becomes its hash, and different ids stay different', () => {
    const ids = ['wamid.\0', 'wamid.\ud800', 'wamid.\ud801', 'x'.repeat(513)];
    const items = ids.map((id) => only(parse(entry(value({ messages: [{ ...GOOD, id }] })))));
    for (const item of items) expect(item.externalId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Set(items.map((item) => item.externalId)).size).toBe(ids.length);
  });

  it('the hash sees changed content, but neither the order of keys nor a new link to the same file', () => {
    const image = { id: '1', caption: 'a', url: 'https://x/1' };
    const hash = (of: object) =>
      only(parse(entry(value({ messages: [{ ...GOOD, type: 'image', ...of }] })))).contentHash;
    expect(hash({ image: { url: 'https://x/2', caption: 'a', id: '1' } })).toBe(hash({ image }));
    expect(hash({ image: { ...image, caption: 'b' } })).not.toBe(hash({ image }));
    expect(hash({ image, location: { url: 'a' } })).not.toBe(hash({ image, location: { url: 'b' } }));
  });

  it.each([
    ['1796040000', 1796040000000],
    [1796040000, 1796040000000],
    ['1796040000123', 1796040000123],
    ['yesterday', null],
    ['', null],
    ['-5', null],
    ['1e9', null],
    [null, null],
    [{}, null],
    ['99999999999999999999', null],
  ])('reads the time %p as %p', (timestamp, at) => {
    expect(only(parse(entry(value({ messages: [{ ...GOOD, timestamp }] })))).providerAt).toBe(at);
  });
});

describe('text that Postgres refuses', () => {
  it('is cleaned in what was parsed and kept in raw', () => {
    const item = only(parse(entry(value({ messages: [{ ...GOOD, text: { body: 'a\0b\ud800c 👋' } }] }))));
    expect(item.event).toMatchObject({ speech: { text: 'a\uFFFDb\uFFFDc 👋' } });
    expect(item.raw).toContain('a\\u0000b\\ud800c 👋');
  });
});

describe('hostile bodies', () => {
  it.each([
    ['lists in lists', '['.repeat(500_000), ']'.repeat(500_000)],
    ['objects in objects', '{"a":'.repeat(300_000), `1${'}'.repeat(300_000)}`],
  ])('%s', (_case, open, close) => {
    const messages = [GOOD, 'DEEP', { ...GOOD, id: 'wamid.D', order: 'DEEP' }];
    const body = JSON.stringify(entry(value({ messages }))).replaceAll('"DEEP"', () => open + close);
    const items = parse(body);
    expect(items.map((item) => item.event.kind)).toEqual(['message', 'unreadable', 'message']);
    expect(items[2]?.raw).toContain(open);
  });

  it('a prototype key changes nothing', () => {
    const body =
      '{"entry":[{"changes":[{"field":"messages","value":{"__proto__":{"messages":[{}]},"metadata":{"phone_number_id":"1"},"messages":[{"__proto__":{"type":"text"},"from":"15550100311","id":"wamid.P","type":"order","order":{"__proto__":{"text":"x"},"product_items":[{"__proto__":{"quantity":1},"constructor":2}]}}]}}]}]}';
    const item = only(parse(body));
    expect(item.event).toMatchObject({ kind: 'message', speech: { text: '[order] ? × unknown product' } });
    expect(({} as Record<string, unknown>).quantity).toBeUndefined();
  });

  it('3 MB in a thousand messages is read within seconds', () => {
    const messages = Array.from({ length: 1000 }, (_, index) => ({
      ...GOOD,
      id: `wamid.${index}`,
      text: { body: 'x'.repeat(3000) },
    }));
    const started = performance.now();
    expect(parse(entry(value({ messages })))).toHaveLength(1000);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('whatever JSON.parse yields', () => {
  const KEYS = [
    'entry',
    'changes',
    'value',
    'field',
    'metadata',
    'messages',
    'statuses',
    'errors',
    'contacts',
    'type',
    'id',
    'from',
    'text',
    'image',
    'order',
    'system',
    'edit',
    'message',
    'context',
    'referral',
    '__proto__',
  ];
  const WORDS = [
    'messages',
    'smb_message_echoes',
    'user_id_update',
    'user_preferences',
    'text',
    'image',
    'order',
    'system',
    'edit',
    'contacts',
    'interactive',
    'wamid.X',
    '15550100311',
  ];
  const anything = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(...WORDS),
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.array(tie('any'), { maxLength: 4 }),
      tie('bag'),
    ),
    bag: fc.dictionary(fc.constantFrom(...KEYS), tie('any'), { maxKeys: 6 }),
  }));

  // What Postgres refuses in text and jsonb.
  const storable = (item: ParsedItem) => {
    const { raw, ...parsed } = item;
    expect(JSON.stringify(parsed)).not.toMatch(/\\u0000|\\ud[89a-f]/);
    expect(item.externalId.length).toBeLessThanOrEqual(512);
    if (!item.rawIsBase64) JSON.parse(raw);
  };

  it('never throws, and every item can be stored', () => {
    fc.assert(
      fc.property(anything.any, anything.any, anything.any, (body, changes, messages) => {
        [
          ...parse(body),
          ...parse({ entry: [{ changes }] }),
          ...parse(entry(messages)),
          ...parse(entry(value({ messages: [messages] }))),
        ].forEach(storable);
      }),
      { numRuns: 400 },
    );
  });

  it('keeps the good neighbours', () => {
    fc.assert(
      fc.property(
        anything.any,
        fc.array(anything.any, { maxLength: 3 }),
        fc.array(anything.any, { maxLength: 3 }),
        (noise, before, after) => {
          const change = entry(
            value({ messages: [...before, GOOD, ...after], statuses: noise, errors: noise, contacts: noise }),
          ).entry[0];
          const items = good(parse({ entry: [noise, ...before, change, ...after] }));
          expect(items).toHaveLength(1);
          expect(items[0]?.event).toMatchObject({ kind: 'message', speech: { text: 'still here' } });
          items.forEach(storable);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('reads any bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (body) => expect(parseBody(body).length).toBeGreaterThan(0)));
  });
});
