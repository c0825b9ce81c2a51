import { StoreError } from 'handle-once';
import { expect, test } from 'vitest';
import { limitedClient } from '../../../src/store/postgres/limited-client.ts';
import { run } from '../../../adapters/operations/run.ts';
import { useDatabase } from '../../support/database.ts';
import { toDatabaseClient } from '../../../src/postgres/sql-client.ts';

const { sql } = useDatabase();

test('a statement that is answered in time passes', async () => {
  const client = limitedClient(toDatabaseClient(sql), 60_000);
  expect(await run(client, 'select $1::text as one', ['1'])).toEqual([['1']]);
  const inOne = client.begin((transaction) => client.in(transaction).query('select $1::text', ['1']));
  expect(await inOne).toEqual([['1']]);
});

test('a statement that gets no answer ends with an error', async () => {
  const client = limitedClient(toDatabaseClient(sql), 200);
  const slow = run(client, 'select pg_sleep($1::text::float8)', ['5']);
  await expect(slow).rejects.toThrow(/no reply within 200 ms/);
  await expect(slow).rejects.toBeInstanceOf(StoreError);
  await expect(client.execute('select pg_sleep(5)')).rejects.toThrow(/no reply within 200 ms/);
  const begun = client.begin(() => new Promise(() => undefined));
  await expect(begun).rejects.toThrow(/no reply within 200 ms/);
});
