import { accountKey, judgeTrust } from './trust.js';

const account = { key: 'whatsapp:1', appSecrets: ['new', 'old'] };

it.each([
  ['its secret', account, 'new', { kind: 'ours' }],
  ['its secret before the rotation', account, 'old', { kind: 'ours' }],
  ['the secret of another tenant', account, 'theirs', { kind: 'ignored', reason: 'foreign-account' }],
  ['an account without secrets', { ...account, appSecrets: [] }, '', { kind: 'ignored', reason: 'foreign-account' }],
  ['an account that nobody knows', undefined, 'new', { kind: 'ignored', reason: 'unknown-account' }],
])('%s', (_, known, secret, trust) => {
  expect(judgeTrust(known, secret)).toEqual(trust);
});

it.each([
  ['whatsapp', '106540352242922', 'whatsapp:106540352242922'],
  ['telegram', null, 'telegram'],
])('events of %s %s are stored under %s', (channel, externalId, key) => {
  expect(accountKey(channel, externalId)).toBe(key);
});
