import { afterAll, beforeAll, describe } from 'vitest';
import { migrate } from '../../src/index.ts';
import { prepare } from '../../testing/contracts/client/bench.ts';
import { clientContract as clientCases } from '../../testing/contracts/index.ts';
import { fullStoreContract, type StoreContract, testAll } from '../store/contract.ts';
import { controlledPostgresStore } from '../store/postgres/controlled-store.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { serializableContract } from './contract/serializable.ts';
import type { Library, OpenLibrary } from './library.ts';

const UNREACHABLE = 'postgres://nowhere@127.0.0.1:1/none';

interface ContractOptions {
  /** Whether `begin` calls `onBroken`: where the library shows the connection of a transaction. Default false. */
  readonly tellBreaks?: boolean;
  /** Default: with TEST_CONTRACT=full alone, since the cases of a client have what depends on the library. */
  readonly ofStore?: StoreContract;
}

/** What the records need of a client library, on the real one: as users test one of their own, and more. */
export function clientContract<Tx>(
  name: string,
  open: OpenLibrary<Tx>,
  { tellBreaks = false, ofStore = fullStoreContract }: ContractOptions = {},
): void {
  const database = useEmptyDatabase();
  describe(name, () => {
    const library = useLibrary(() => open(database.url));
    const can = { severalConnections: true, tellBreaks };
    ofStore('Its store', () => controlledPostgresStore(library().client));
    serializableContract(database, open);
    testAll(clientCases({ can, open: library, openUnreachable: () => open(UNREACHABLE) }));
  });
}

/** A library over a migrated database with a table for effects, from the calling file's first test to its last. */
export function useLibrary<Tx>(open: () => Library<Tx> | Promise<Library<Tx>>): () => Library<Tx> {
  let library: Library<Tx> | undefined;
  beforeAll(async () => {
    library = await open();
    await migrate(library.client);
    await prepare(library.client);
  });
  afterAll(() => library?.close());
  return () => library as Library<Tx>;
}
