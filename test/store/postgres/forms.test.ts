import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { STATEMENT_FILES } from './statement-files.ts';

/**
 * Maintenance walks through places on disk, which a distributed table has on other nodes, and the dashboard reads all
 * scopes.
 */
const OF_ONE_NODE = new Set(['purge.sql', 'maintenance.sql', 'leaves.sql', 'pages.sql']);
const OF_ONE_NODE_IN_HISTORY = /^-- forget(?:Stats|Failures|Workers)$/m;

/** It goes from scope to scope, which Citus refuses: there a key is looked for in one scope. */
const OF_ALL_SCOPES = /^-- find$/m;

/** Of records and of the lines about them: tables that can be distributed by scope. */
const READS = /(?:from|join|update) "?handle_once"?\.(?:records|failures)\b(?! where false)/g;
const IN_SCOPE = /\bscope = \$1::text/g;

const count = (sql: string, pattern: RegExp): number => sql.match(pattern)?.length ?? 0;

/** What a distributed Postgres refuses, or does not do well; and a statement that does it. */
const FORBIDDEN: readonly {
  readonly form: string;
  readonly because: string;
  readonly isIn: (sql: string) => boolean;
  readonly example: string;
}[] = [
  {
    form: 'a clock or an interval in DO UPDATE',
    because: 'functions there must be immutable: read the clock from `excluded`',
    isIn: (sql) =>
      /\bdo update set\b(?:(?!\breturning\b|;).)*(?:_timestamp\(\)|now\(\)|\binterval\b)/s.test(sql),
    example: 'insert into t values ($1) on conflict (id) do update set at = now() returning id;',
  },
  {
    form: 'a column added to a time in SET',
    because: 'stable functions of an update take no columns: compute it in a row of FROM',
    isIn: (sql) =>
      /\bset\b(?:(?!\n(?:from|where)\b|\n\)|;).)*(?:_timestamp|now)\(\) [+-] \w+\.\w+/s.test(sql),
    example: "update t set\n  at = now() + s.ms * interval '1 millisecond'\nfrom s\nwhere t.id = s.id;",
  },
  {
    form: 'a clock in RETURNING',
    because: 'functions there must be immutable: return the columns, and compute in a SELECT',
    isIn: (sql) => /\breturning\b(?:(?!\n\)|\)\n|;).)*(?:_timestamp|now)\(\)/s.test(sql),
    example: 'delete from t where id = $1 returning at > now();',
  },
  {
    form: 'a lock of rows that are read',
    because: 'it cannot be sent to shards',
    isIn: (sql) => /\bfor (?:update|share)\b/.test(sql),
    example: 'select id from t for update skip locked;',
  },
  {
    form: 'a record that is looked for without its scope as $1',
    because: 'the statement goes to all shards, or to none: compare the scope of each table with $1',
    isIn: (sql) => count(sql, READS) > count(sql, IN_SCOPE),
    example: 'select result from handle_once.records t join s on s.scope = t.scope;',
  },
];

/** The statements of a file, as they are sent. */
function statementsIn(file: string): string[] {
  const all = readFileSync(STATEMENT_FILES.get(file) ?? file, 'utf8').split(/(?<=;)\n/);
  const exempt = { 'history.sql': OF_ONE_NODE_IN_HISTORY, 'inspect.sql': OF_ALL_SCOPES }[file];
  return all.filter((sql) => exempt?.test(sql) !== true);
}

const files = [...STATEMENT_FILES.keys()].filter((name) => !OF_ONE_NODE.has(name));

describe.each(FORBIDDEN)('No statement has $form', ({ form, because, isIn, example }) => {
  test.each(files)('in %s', (file) => {
    const found = statementsIn(file).filter(isIn);
    expect(found, `${form}: ${because}`).toEqual([]);
  });

  test('as this one would', () => {
    expect(isIn(example)).toBe(true);
  });
});
