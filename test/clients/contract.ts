import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/index.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { type StoreContract, storeContract } from '../store/contract.ts';
import { controlledPostgresStore } from '../store/postgres/controlled-store.ts';
import { effectsContract } from './contract/effects.ts';
import { failuresContract } from './contract/failures.ts';
import { hotPathContract } from './contract/hot-path.ts';
import { serverContract } from './contract/server.ts';
import { withinContract } from './contract/within.ts';
import type { Library, OpenLibrary } from './library.ts';
import { ALL_MIGRATIONS } from '../migrations/all.ts';

/** What the records need of a client library, on the real one. */
export function clientContract<Tx>(
  name: string,
  open: OpenLibrary<Tx>,
  ofStore: StoreContract = storeContract,
): void {
  const database = useEmptyDatabase();
  describe(name, () => {
    const library = useLibrary(() => open(database.url));
    embeddedContract(library, ofStore);
    withinContract(library);
    serverContract(database, library, open);
  });
}

/** The part that a database within the process can keep as well. */
export function embeddedContract<Tx>(
  library: () => Library<Tx>,
  ofStore: StoreContract = storeContract,
): void {
  const client = () => library().client;
  ofStore('Its store', () => controlledPostgresStore(client()));

  test('migrates once, and finds it done', async () => {
    const { applied } = await migrate(client(), { schema: 'another' });
    expect(applied).toEqual(ALL_MIGRATIONS);
    expect(await migrate(client(), { schema: 'another' })).toMatchObject({ applied: [] });
  });

  test('migrates once when many do at one moment', async () => {
    const schema = 'at_once';
    const all = await Promise.all(Array.from({ length: 8 }, () => migrate(client(), { schema })));
    expect(all.flatMap(({ applied }) => applied)).toEqual(ALL_MIGRATIONS);
  });

  hotPathContract(client);
  effectsContract(library);
  failuresContract(client);
}

/** A library over a migrated database with a table for effects, from the calling file's first test to its last. */
export function useLibrary<Tx>(open: () => Library<Tx> | Promise<Library<Tx>>): () => Library<Tx> {
  let library: Library<Tx> | undefined;
  beforeAll(async () => {
    library = await open();
    await migrate(library.client);
    await library.client.execute(`
      create table effects (id text not null);
      create table parents (id text primary key);
      create table children (parent text references parents (id) deferrable initially deferred);`);
  });
  afterAll(() => library?.close());
  return () => library as Library<Tx>;
}
