import { lockProblems } from './lock-audit.mjs';

const integrity = 'sha512-abc';
const lock = (packages, root = {}) => ({ lockfileVersion: 3, packages: { '': root, ...packages } });

test('a pinned package with its hash is fine', () => {
  expect(
    lockProblems(lock({ 'node_modules/a': { version: '1.0.0', integrity } }, { dependencies: { a: '1.0.0' } })),
  ).toEqual([]);
});

test.each([
  ['a range', lock({}, { dependencies: { a: '^1.0.0' } }), 'not an exact version'],
  ['a package without a hash', lock({ 'node_modules/a': { version: '1.0.0' } }), 'no SHA-512 integrity'],
  ['a weak hash', lock({ 'node_modules/a': { version: '1.0.0', integrity: 'sha1-abc' } }), 'no SHA-512 integrity'],
  [
    'a host',
    lock({ 'node_modules/a': { version: '1.0.0', integrity, resolved: 'https://example.com/a' } }),
    'names the host',
  ],
  [
    'a git dependency',
    lock({ 'node_modules/a': { version: 'git+ssh://example.com/a', integrity } }),
    'not come from a registry',
  ],
])('%s is refused', (_, broken, problem) => {
  expect(lockProblems(broken)).toEqual([expect.stringContaining(problem)]);
});
