/**
 * Compares figures with their bars.
 * @param {{what: string, value: number, most?: number, least?: number, unit?: string}[]} bars `value` NaN, when nothing
 *   was measured, misses every bar.
 * @returns {{lines: string[], failed: string[]}} a line per bar, and what was missed.
 */
export function judge(bars) {
  const lines = bars.map(({ what, value, most, least, unit = '' }) => {
    const met = most === undefined ? value >= least : value <= most;
    const bar = most === undefined ? `at least ${least}` : `at most ${most}`;
    return { met, text: `${what}: ${shownNumber(value)}${unit} (bar: ${bar}${unit})` };
  });
  return {
    lines: lines.map(({ met, text }) => `${met ? 'met   ' : 'MISSED'} ${text}`),
    failed: lines.filter(({ met }) => !met).map(({ text }) => text),
  };
}

/** Few digits: as many as mean something. */
export function shownNumber(value) {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: digits });
}
