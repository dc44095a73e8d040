import { parseEnv } from './env-file.mjs';

test.each([
  ['A=1', { A: '1' }],
  ['export A = spaced ', { A: 'spaced' }],
  ['# A=1\n\nB=2', { B: '2' }],
  ['A="with # and spaces "', { A: 'with # and spaces ' }],
  ["A='quoted' # comment", { A: 'quoted' }],
  ['A=bare # comment', { A: 'bare' }],
  ['A=with#hash', { A: 'with#hash' }],
  ['A=', { A: '' }],
  ['A=1\r\nB=2', { A: '1', B: '2' }],
  ['no assignment', {}],
  ['A=postgresql://u:p@h/d?x=y', { A: 'postgresql://u:p@h/d?x=y' }],
])('%j', (text, expected) => {
  expect(parseEnv(text)).toEqual(expected);
});
