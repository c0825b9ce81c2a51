import { expect, test } from 'vitest';
import { spread } from '../../examples/spread.ts';
import { createHandleOnce } from '../../src/index.ts';
import { textOf } from '../docs/documents.ts';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();
const NAMES = ['billing-0', 'billing-1', 'billing-2', 'billing-3'];
const KEYS = Array.from({ length: 200 }, (_, index) => `order-${index}`);

test('each key has its record in one of the scopes, and each scope has its share', async () => {
  const ofKey = spread(NAMES.map((scope) => createHandleOnce({ sql, scope })));
  const handle = (key: string) => ofKey(key)(key, {}, () => key);
  await Promise.all(KEYS.map(handle));
  const again = await Promise.all(KEYS.map(handle));
  expect(again).toEqual(
    KEYS.map((key) => ({ state: 'succeeded', attempts: 1, replayed: true, result: key })),
  );
  const shares = await sql<{ scope: string; records: number }[]>`
    select scope, count(*)::int as records from handle_once.records group by scope order by scope`;
  expect(shares.map(({ scope }) => scope)).toEqual(NAMES);
  for (const { records } of shares) expect(records).toBeGreaterThan(25);
});

test('with another number of scopes keys have no record where they are looked for', () => {
  const [four, five] = [NAMES, [...NAMES, 'billing-4']].map((names) =>
    spread(names.map((scope) => createHandleOnce({ sql, scope }))),
  );
  const moved = KEYS.filter((key) => four?.(key).settings.scope !== five?.(key).settings.scope);
  expect(moved.length).toBeGreaterThan(100);
});

test('docs/scaling.md shows the function as it is tested', () => {
  const [shown = ''] = /^export function spread.*?^}$/ms.exec(textOf('examples/spread.ts')) ?? [];
  expect(shown).not.toBe('');
  expect(textOf('docs/scaling.md')).toContain(shown.replace('export ', ''));
});
