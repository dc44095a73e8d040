import { turnInput } from './turn-input.js';

it('shows the latest, and the earlier ones in order', () => {
  expect(turnInput(['A', 'B', 'C'])).toEqual({
    ...{ message: 'C', skipped: ['A', 'B'], totalSinceLastHandler: 3, messages: ['A', 'B', 'C'] },
  });
  expect(turnInput(['A'])).toEqual({ message: 'A', skipped: [], totalSinceLastHandler: 1, messages: ['A'] });
  expect(() => turnInput([])).toThrow(RangeError);
});
