/** What a run says at its end. */

const SHOWN = 5;

/** Recovery times that are promised, ms. */
const REPLY_AFTER_KILL_MS = 5_000;

/** @returns {{text: string, passed: boolean}} */
export function render(evidence, { promises, notes }) {
  const { options, strikes, recovery, times } = evidence;
  const wrong = promises.filter(({ violations }) => violations.length > 0);
  const slow = slowRecovery(recovery, times);
  const passed = wrong.length === 0 && strikes.missing.length === 0 && slow === null;
  const lines = [
    '',
    ...table(
      ['fault', 'struck', 'live', 'on'],
      strikes.table.map(({ kind, struck, live, on }) => [kind, struck, live, words(on)]),
    ),
    '',
    ...table(['counted', 'number'], Object.entries({ ...countsOf(evidence), ...notes })),
    '',
    ...table(
      ['promise', 'violations'],
      promises.map(({ id, title, violations }) => [`${id} ${title}`, violations.length]),
    ),
    '',
    ...table(['recovery, ms', 'n', 'p50', 'p99', 'max'], recoveryRows(recovery)),
    '',
    ...wrong.flatMap(detailsOf),
    ...(strikes.missing.length > 0 ? [`never struck anything live: ${strikes.missing.join(', ')}`] : []),
    ...(slow === null ? [] : [slow]),
    `${passed ? 'passed' : 'FAILED'}: seed ${options.seed}, ${options.minutes} min, ${options.people} people, ${options.backend}, ${options.strategy}, ` +
      `${strikes.table.reduce((sum, { live }) => sum + live, 0)} live faults` +
      (passed
        ? ''
        : `\nagain: npm run torture -- --seed ${options.seed} --minutes ${options.minutes} --people ${options.people} --backend ${options.backend} --strategy ${options.strategy}`),
  ];
  return { text: lines.join('\n'), passed };
}

function countsOf({ tables, calls, webhooks, asked, said, strikes }) {
  const live = strikes.table.reduce((sum, row) => sum + row.live, 0);
  return {
    'faults that struck something live': live,
    'messages said': said.length,
    'webhooks posted, repeated ones included': webhooks.deliveries,
    'of these repeated': webhooks.repeated,
    events: tables.events.length,
    batches: tables.batches.length,
    'of these replied': tables.batches.filter(({ state }) => state === 'replied').length,
    turns: tables.turns.length,
    'of these lapsed': tables.turns.filter(({ outcome }) => outcome === 'lapsed').length,
    'questions to the model': asked.length,
    'effects of tools': tables.effects.length,
    parts: tables.parts.length,
    sends: calls.filter(({ kind }) => kind === 'send').length,
    'cases for a person': tables.reviews.length,
  };
}

function recoveryRows(recovery) {
  if (!recovery) return [['(not measured in this run)', '', '', '', '']];
  const rows = [
    ['kill -9 of the only responder in a turn, until the reply', recovery.killToReply],
    ['due until started, Redis emptied', recovery.dueToStart.emptied],
    ['due until started, Redis gone', recovery.dueToStart.gone],
  ];
  return rows
    .filter(([, ms]) => ms.length > 0)
    .map(([name, ms]) => [name, ms.length, at(ms, 0.5), at(ms, 0.99), at(ms, 1)]);
}

function slowRecovery(recovery, times) {
  const most = times.lease + REPLY_AFTER_KILL_MS;
  if (!recovery || at(recovery.killToReply, 0.99) <= most) return null;
  return `after kill -9 the reply took longer than lease + ${REPLY_AFTER_KILL_MS} ms (${most} ms)`;
}

function at(values, quantile) {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(quantile * sorted.length) - 1)]);
}

function detailsOf({ id, title, violations }) {
  return [
    `${id} ${title}: ${violations.length}`,
    ...violations
      .slice(0, SHOWN)
      .flatMap(({ what, rows }) => [`  ${what}`, ...rows.map((row) => `    ${JSON.stringify(row)}`.slice(0, 1_500))]),
    ...(violations.length > SHOWN ? [`  and ${violations.length - SHOWN} more`] : []),
    '',
  ];
}

const words = (on) =>
  Object.entries(on)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');

/** A table that is readable as it is and as Markdown. */
function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(all[0]), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...all.slice(1).map(line)];
}
