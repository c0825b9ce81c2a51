import * as z from 'zod/mini';
import { lazily } from '../../../src/lib/lazily.ts';
import { callback, flag, parseOptions, withMethods } from '../../../src/options/parse-options.ts';
import { casesOf, type ContractCase } from '../contract-case.ts';
import { transportCases } from '../store/cases.ts';
import { benchOf, type ClientRule, prepare, storeOver } from './bench.ts';
import { BREAK, unreachableRule } from './breaks.ts';
import type { ClientLibrary, ClientUnderTest } from './client-under-test.ts';
import { FAILURE } from './failures.ts';
import { IN_TRANSACTION, MESSAGES } from './handlers.ts';
import { MIGRATION } from './migrations.ts';
import { QUERY, REFUSAL } from './queries.ts';
import { ONE_CONNECTION, SEVERAL_CONNECTIONS, TRANSACTION } from './transactions.ts';

const EVERY = [QUERY, REFUSAL, TRANSACTION, MIGRATION, FAILURE, MESSAGES, IN_TRANSACTION];

const clientSchema = lazily(() =>
  z.object(
    {
      can: z.strictObject(
        { severalConnections: flag(), tellBreaks: flag() },
        { error: 'must say for each ability whether the client has it' },
      ),
      open: callback<ClientUnderTest['open']>('a function that gives { client, insert }'),
      openUnreachable: z.optional(
        callback<NonNullable<ClientUnderTest['openUnreachable']>>('a function that gives { client, close }'),
      ),
    },
    { error: 'the client must be an object: { can, open }' },
  ),
);

const librarySchema = lazily(() =>
  z.object(
    {
      client: withMethods<ClientLibrary['client']>(
        ['query', 'execute', 'begin', 'in'],
        'a client with query, execute, begin and in: have open return { client, insert }',
      ),
      insert: callback<ClientLibrary['insert']>('a function of (transaction, id) that inserts a row'),
    },
    { error: 'open must return an object: { client, insert }' },
  ),
);

/**
 * Test cases for what the records need of every Postgres client, on a real server: for any test runner.
 *
 * Run it on a database that the tests may write to, as a role that may create schemas and tables: it makes a schema
 * `handle_once_contract` and a table `handle_once_effects`, and leaves them. A case takes up to some seconds, and 30 if
 * the client does not answer: set a longer timeout in the runner. A case that fails names the rule. Throws
 * `InvalidOptionsError` for a value that is not a client.
 *
 * @example
 * ```ts
 * const database = openMyDatabase(databaseUrl);
 * const cases = clientContract<MyTransaction>({
 *   can: { severalConnections: true, tellBreaks: false },
 *   open: () => ({
 *     client: fromMyLibrary(database),
 *     insert: (tx, id) => tx.run('insert into handle_once_effects (id) values ($1)', [id]),
 *   }),
 * });
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function clientContract<Tx>(client: ClientUnderTest<Tx>): readonly ContractCase[] {
  const { can, openUnreachable } = parseOptions('clientContract', clientSchema(), client);
  const open = preparedOnce(() => client.open());
  const begin = async () => ({ subject: benchOf(await open(), can), calls: [] });
  const inPeace: ClientRule[] = [...EVERY, can.severalConnections ? SEVERAL_CONNECTIONS : ONE_CONNECTION];
  // Last: some libraries repeat the error of a connection to the first statement on the one that replaces it.
  const inTrouble: ClientRule[] = [
    ...(can.severalConnections ? [BREAK] : []),
    ...(openUnreachable === undefined ? [] : [unreachableRule(openUnreachable)]),
  ];
  return [
    ...casesOf(inPeace, begin),
    ...transportCases(async () => storeOver((await open()).client)),
    ...casesOf(inTrouble, begin),
  ];
}

/** The first case makes the tables. */
function preparedOnce(open: ClientUnderTest['open']): () => Promise<ClientLibrary> {
  let prepared: Promise<void> | undefined;
  return async () => {
    const library = await open();
    parseOptions('what open gives', librarySchema(), library);
    prepared ??= prepare(library.client);
    await prepared;
    return library;
  };
}
