import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { verifySignature } from './verify-signature.js';

const file = (name: string) => readFileSync(new URL(`../payloads/${name}`, import.meta.url));
const sign = (body: Uint8Array, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('verifySignature', () => {
  const body = file('wa-text-emoji-accents-slash.json');

  it.each(['wa-text-emoji-accents-slash.json', 'wa-reaction-added.json', 'wa-document.json'])(
    'accepts the bytes of %s and refuses them re-serialised',
    (name) => {
      const bytes = file(name);
      const again = Buffer.from(JSON.stringify(JSON.parse(bytes.toString())));
      expect(verifySignature(bytes, sign(bytes, 'key'), ['key'])).toBe('key');
      expect(verifySignature(again, sign(bytes, 'key'), ['key'])).toBeNull();
    },
  );

  it('names the secret that signed, during a rotation', () => {
    expect(verifySignature(body, sign(body, 'old'), ['new', 'old'])).toBe('old');
    expect(verifySignature(body, sign(body, 'new'), ['new', 'old'])).toBe('new');
    expect(verifySignature(body, sign(body, 'other'), ['new', 'old'])).toBeNull();
  });

  it('accepts upper-case hex', () => {
    const header = sign(body, 'key').toUpperCase().replace('SHA256', 'sha256');
    expect(verifySignature(body, header, ['key'])).toBe('key');
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['without its scheme', sign(body, 'key').slice(7)],
    ['of another scheme', sign(body, 'key').replace('sha256', 'sha1')],
    ['too short', sign(body, 'key').slice(0, -1)],
    ['too long', `${sign(body, 'key')}0`],
    ['no hex', `sha256=${'z'.repeat(64)}`],
    ['two in one', `${sign(body, 'key')}, ${sign(body, 'key')}`],
  ])('refuses a header that is %s', (_case, header) => {
    expect(verifySignature(body, header, ['key'])).toBeNull();
  });

  it('fails closed without secrets, and never on an empty one', () => {
    expect(verifySignature(body, sign(body, ''), [])).toBeNull();
    expect(verifySignature(body, sign(body, ''), [''])).toBeNull();
  });

  it('refuses a body with one byte changed', () => {
    const changed = Buffer.from(body);
    changed[changed.length - 2] = (changed.at(-2) ?? 0) ^ 1;
    expect(verifySignature(changed, sign(body, 'key'), ['key'])).toBeNull();
  });
});
