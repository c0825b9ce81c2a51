import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/index.ts';
import { useDatabase } from '../../support/database.ts';
import { storeSmokeTest } from '../contract.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';

/** What users set on the client for their own queries must not reach ours. */
const MODES: Record<string, Parameters<typeof useClient>[1]> = {
  'camel-cased columns': { transform: postgres.camel },
  'upper-cased columns and nulls turned into undefined': {
    transform: {
      undefined: null,
      column: { from: (name) => name.toUpperCase(), to: (name) => name.toLowerCase() },
      value: { from: (value: unknown) => value ?? undefined },
    },
  },
  'rows made into other objects': { transform: { row: (row: object) => ({ ...row }) } },
  'no prepared statements': { prepare: false },
  'no fetched types': { fetch_types: false },
  'parsers of their own for text, numbers, times and arrays': {
    types: Object.fromEntries(
      [16, 17, 20, 23, 25, 701, 1009, 1184, 2950].map((oid) => [
        `type${oid}`,
        { to: oid, from: [oid], serialize: (value: unknown) => value, parse: () => 'parsed' },
      ]),
    ),
  },
  'one connection': { max: 1 },
  'a search path without the schema': { connection: { search_path: 'pg_catalog' } },
  'a time zone, date style and interval style of its own': {
    connection: { TimeZone: 'Asia/Kolkata', DateStyle: 'SQL, DMY', IntervalStyle: 'iso_8601' },
  },
  'escapes in plain strings, and bytes as escapes': {
    connection: { standard_conforming_strings: 'off', bytea_output: 'escape' },
  },
  'shortened floats': { connection: { extra_float_digits: '0' } },
};

const { url, sql } = useDatabase();

describe.each(Object.entries(MODES))('With %s', (mode, options) => {
  const client = useClient(url, options);

  storeSmokeTest(`a client with ${mode}`, () => controlledPostgresStore(sql, client));

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
