import fc from 'fast-check';
import { splitReply } from './split-reply.js';

it.each<[string, string, string[]]>([
  ['one paragraph', 'Yes, at ten.', ['Yes, at ten.']],
  ['paragraphs', 'Yes.\n\nAt ten?', ['Yes.', 'At ten?']],
  ['lines of one paragraph stay together', 'Free:\n- ten\n- two', ['Free:\n- ten\n- two']],
  ['a blank line with spaces', 'Yes.\n \t\nAt ten?', ['Yes.', 'At ten?']],
  ['line ends of another system', 'Yes.\r\n\r\nAt ten?\r\nOr two?', ['Yes.', 'At ten?\r\nOr two?']],
  ['many blank lines', '\n\n\nYes.\n\n\n\n\nAt ten?\n\n', ['Yes.', 'At ten?']],
  ['nothing', '', []],
  ['blank', ' \n\n \n', []],
])('%s', (_, text, parts) => {
  expect(splitReply(text, 100)).toEqual(parts);
});

it.each<[string, string, number, string[]]>([
  ['exactly the limit', '1234567890', 10, ['1234567890']],
  ['at the end of a sentence', 'One two. Three four five.', 20, ['One two.', 'Three four five.']],
  ['at the last of the sentences that fit', 'A b. C d. E f g h i.', 12, ['A b. C d.', 'E f g h i.']],
  ['at a line end', 'one two\nthree four five', 20, ['one two', 'three four five']],
  ['not at the point of a number', 'It costs 1234.50 euro', 18, ['It costs 1234.50', 'euro']],
  [
    'not after a tiny sentence',
    'Hi. I am the assistant of this shop.',
    20,
    ['Hi. I am the', 'assistant of this', 'shop.'],
  ],
  ['hard, without a space', 'abcdefghijklmno', 6, ['abcdef', 'ghijkl', 'mno']],
  ['hard, but not through a surrogate pair', 'abcde😀fgh', 6, ['abcde', '😀fgh']],
  ['pairs alone', '😀😀😀', 3, ['😀', '😀', '😀']],
])('cuts %s', (_, text, limit, parts) => {
  expect(splitReply(text, limit)).toEqual(parts);
});

const word = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '𝒳', '.', '!', '…'), minLength: 1, maxLength: 30 });
const space = fc.constantFrom(' ', '  ', '\n', '\t', '\n\n', '\n \n', '\r\n\r\n', '\u00a0');
const reply = fc.array(fc.tuple(word, space), { maxLength: 40 }).map((pieces) => pieces.flat().join(''));
const limit = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.constant(4096));
const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

it('loses nothing but whitespace, keeps the limit, tears no character, and makes no empty part', () => {
  fc.assert(
    fc.property(fc.oneof(reply, fc.string({ unit: 'binary' })), limit, (text, longest) => {
      const parts = splitReply(text, longest);
      expect(withoutSpace(parts.join(''))).toBe(withoutSpace(text));
      for (const part of parts) {
        expect(part.trim()).not.toBe('');
        expect(part.length).toBeLessThanOrEqual(longest);
        expect(part).not.toMatch(/\p{Surrogate}/u);
      }
    }),
    { numRuns: 1000 },
  );
});

it('keeps each paragraph apart, and whole when it fits', () => {
  const paragraphs = fc.array(word, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(paragraphs, fc.constantFrom('\n\n', '\n \n', '\r\n\r\n', '\n\n\n'), (all, blank) => {
      expect(splitReply(all.join(blank), 60)).toEqual(all);
    }),
  );
});

it('cuts only where it must: two neighbours of one paragraph never fit into one part', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 40 }), (all, longest) => {
      const parts = splitReply(all.join(' '), longest);
      for (const [at, part] of parts.slice(1).entries()) {
        expect(`${parts[at]} ${part}`.length).toBeGreaterThan(longest);
      }
    }),
  );
});
