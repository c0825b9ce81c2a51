import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/index.ts';
import { useDatabase } from '../../support/database.ts';
import { storeSmokeTest } from '../contract.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';

/**
 * What users set on the client for their own queries must not reach ours. Two clients have all of it: a fault that one
 * option brings shows in any company.
 */
const MODES: Record<string, Parameters<typeof useClient>[1]> = {
  'settings of the session, camel-cased columns and one connection that prepares nothing': {
    max: 1,
    prepare: false,
    fetch_types: false,
    transform: { ...postgres.camel, row: (row: object) => ({ ...row }) },
    connection: {
      search_path: 'pg_catalog',
      TimeZone: 'Asia/Kolkata',
      DateStyle: 'SQL, DMY',
      IntervalStyle: 'iso_8601',
      standard_conforming_strings: 'off',
      bytea_output: 'escape',
      extra_float_digits: '0',
    },
  },
  'parsers of its own for text, numbers, times and arrays, and upper-cased columns without nulls': {
    transform: {
      undefined: null,
      column: { from: (name) => name.toUpperCase(), to: (name) => name.toLowerCase() },
      value: { from: (value: unknown) => value ?? undefined },
    },
    types: Object.fromEntries(
      [16, 17, 20, 23, 25, 701, 1009, 1184, 2950].map((oid) => [
        `type${oid}`,
        { to: oid, from: [oid], serialize: (value: unknown) => value, parse: () => 'parsed' },
      ]),
    ),
  },
};

const { url, sql } = useDatabase();

describe.each(Object.entries(MODES))('With %s', (mode, options) => {
  const client = useClient(url, options);

  storeSmokeTest('the Postgres store', () => controlledPostgresStore(sql, client));

  test('migrate finds the tables', async () => {
    expect(await migrate(client)).toMatchObject({ applied: [] });
  });

  test('migrate makes the tables', async () => {
    const schema = `tables_${mode.replaceAll(/\W+/g, '_').slice(0, 40)}`;
    const { applied } = await migrate(client, { schema });
    expect(applied).not.toEqual([]);
    expect(await migrate(client, { schema })).toMatchObject({ applied: [] });
  });
});
