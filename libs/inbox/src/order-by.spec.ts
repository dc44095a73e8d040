/**
 * Postgres reads a bare name in ORDER BY as the column of the answer, before that of the table: after `SELECT id::text`
 * it sorts by text, 10 before 9, without the index, and locks in another order than everybody else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'));

/** Bare names in ORDER BY that the same select, up to it, has turned into text under that name. */
function mistaken(sql: string): string[] {
  return [...sql.matchAll(/\bORDER BY (\w+)\b(?!\.)/g)].flatMap(({ 1: column, index }) => {
    const before = sql.slice(0, index);
    const select = before.slice(before.lastIndexOf('SELECT'));
    return new RegExp(`(?<![.\\w])(\\w+\\.)?${column}::text(?! AS)`).test(select) ? [`${column}: ${sql.trim()}`] : [];
  });
}

it('is seen', () => {
  expect(mistaken('SELECT id::text, state FROM batch ORDER BY id LIMIT 1')).toHaveLength(1);
  expect(mistaken('SELECT id::text, state FROM batch ORDER BY batch.id LIMIT 1')).toEqual([]);
  expect(mistaken('SELECT id::text AS "eventId" FROM event ORDER BY id')).toEqual([]);
});

it.each(sources)('%s sorts by what it means', (name) => {
  const statements = readFileSync(join(folder, name), 'utf8').match(/`[^`]*`/g) ?? [];
  expect(statements.flatMap(mistaken)).toEqual([]);
});
