import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromPg } from '../../adapters/clients/index.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { prepare } from '../../testing/contracts/client/bench.ts';
import { clientContract, type ClientUnderTest } from '../../testing/contracts/index.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';

const { url } = useEmptyDatabase();
const pool = new pg.Pool({ connectionString: url });
pool.on('error', () => undefined);
afterAll(() => pool.end());

type Tx = pg.PoolClient;
type Client = DatabaseClient<Tx>;

/** What a client does in place of what that of `pg` does. */
type Fault = (client: Client) => Partial<Client>;

/** The same fault outside of transactions and in them. */
function everywhere(fault: (queries: DatabaseQueries) => Partial<DatabaseQueries>): Fault {
  return (client) => ({
    ...fault(client),
    in: (transaction) => ({ ...client.in(transaction), ...fault(client.in(transaction)) }),
  });
}

function cells(change: (cell: string) => unknown): Fault {
  return everywhere((queries) => ({
    async query(statement, parameters) {
      const rows = await queries.query(statement, parameters);
      return rows.map((row) => row.map((cell) => (cell === null ? null : (change(cell) as string))));
    },
  }));
}

function throwing(change: (error: Error, parameters: readonly (string | null)[]) => Error): Fault {
  return everywhere((queries) => ({
    query: (statement, parameters) =>
      queries.query(statement, parameters).catch((error: unknown) => {
        throw change(error as Error, parameters);
      }),
    execute: (statements) =>
      queries.execute(statements).catch((error: unknown) => {
        throw change(error as Error, []);
      }),
  }));
}

const committing: Fault = (client) => ({
  async begin(work) {
    const ended = await client.begin((transaction) =>
      work(transaction).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
    );
    if ('error' in ended) throw ended.error;
    return ended.value;
  },
});

/** A connection of its own, and no BEGIN. */
const withoutBegin: Fault = () => ({
  async begin(work) {
    const connection = await pool.connect();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  },
});

/** The same, and what creates waits until another is about to create too. */
const creatingAtOnce: Fault = (client) => {
  const both = gate();
  let arrived = 0;
  return {
    ...withoutBegin(client),
    in(transaction) {
      const queries = client.in(transaction);
      return {
        ...queries,
        async execute(statements) {
          if (/\bcreate\b/i.test(statements)) {
            arrived += 1;
            if (arrived === 2) both.open();
            await both.opened;
          }
          await queries.execute(statements);
        },
      };
    },
  };
};

/** Tries a transaction twice whose error has such a code. */
function beginningAgain(isSuch: (code: string | undefined) => boolean): Fault {
  return (client) => ({
    begin: (work, onBroken) =>
      client.begin(work, onBroken).catch((error: unknown) => {
        if (!isSuch((error as { code?: string }).code)) throw error;
        return client.begin(work, onBroken);
      }),
  });
}

const FAULTS: Record<string, { readonly fault: Fault; readonly found: string }> = {
  'turns times into local time': {
    fault: cells((cell) => (/^\d{4}-\d\d-\d\d[ T]/.test(cell) ? new Date(cell).toString() : cell)),
    found: 'query gives a time as the text that it is, and not as local time',
  },
  'gives numbers': {
    fault: cells((cell) => (/^-?\d+$/.test(cell) ? Number(cell) : cell)),
    found: 'query gives a whole number as text, with all its digits',
  },
  'parses JSON': {
    fault: cells((cell) => (cell.startsWith('{"') ? JSON.parse(cell) : cell)),
    found: 'query gives what looks like a number, a boolean or JSON as the text that it is',
  },
  'trims texts': {
    fault: cells((cell) => cell.trim()),
    found: 'results and errors keep the text " leading and trailing "',
  },
  'takes null for an empty text': {
    fault: everywhere((queries) => ({
      query: (statement, parameters) =>
        queries.query(
          statement,
          parameters.map((parameter) => parameter ?? ''),
        ),
    })),
    found: 'query distinguishes null, the empty text and the text NULL, sent and received',
  },
  'sorts the columns': {
    fault: everywhere((queries) => ({
      query: async (statement, parameters) =>
        (await queries.query(statement, parameters)).map((row) => row.toSorted()),
    })),
    found: 'query gives the cells of a row in the order of the columns',
  },
  'gives one row': {
    fault: everywhere((queries) => ({
      query: async (statement, parameters) => (await queries.query(statement, parameters)).slice(0, 1),
    })),
    found: 'query gives all rows, in the order of the server',
  },
  'gives no rows of a write': {
    fault: everywhere((queries) => ({
      async query(statement, parameters) {
        const rows = await queries.query(statement, parameters);
        return /^\s*(with|insert|update)/.test(statement) ? [] : rows;
      },
    })),
    found: 'a message is handled once, and its duplicate gets the result as it was',
  },
  'runs the first statement of several': {
    fault: everywhere((queries) => ({
      execute: (statements) => queries.execute(statements.split(';')[0] ?? ''),
    })),
    found: 'execute runs several statements of one text',
  },
  'hides the SQLSTATE': {
    fault: throwing(() => new Error('the statement was refused')),
    found: 'query rejects for a missing table with the SQLSTATE 42P01, and goes on',
  },
  'shows parameters': {
    fault: throwing((error, parameters) => {
      const shown = new Error(`${error.message}: ${parameters.join()}`);
      return Object.assign(shown, { code: (error as { code?: string }).code, severity: 'ERROR' });
    }),
    found: 'errors show no key and no result, nor do their causes',
  },
  'commits when the work throws': {
    fault: committing,
    found: 'begin undoes what its work wrote when that throws',
  },
  'commits the work of a handler that throws': {
    fault: committing,
    found: 'a handler in a transaction that throws leaves no effect, and is tried again as the next attempt',
  },
  'throws another error': {
    fault: (client) => ({
      begin: (work) =>
        client.begin(work).catch((error: unknown) => {
          throw new Error('the transaction failed', { cause: error });
        }),
    }),
    found: 'begin throws what its work throws',
  },
  'does not give what the work gives': {
    fault: (client) => ({
      async begin<T>(work: (transaction: Tx) => Promise<T>) {
        await client.begin(work);
        return undefined as T;
      },
    }),
    found: 'begin gives what its work gives',
  },
  'runs in(transaction) outside of it': {
    fault: (client) => ({ in: () => client }),
    found: 'in(transaction) sees what the transaction wrote',
  },
  'begins no transaction': {
    fault: withoutBegin,
    found: 'a statement outside a transaction does not wait for its end, and does not see its changes',
  },
  'makes tables without a transaction': {
    fault: creatingAtOnce,
    found: 'if many migrate at the same time, one makes the tables',
  },
  'runs the work again when it throws': {
    fault: beginningAgain(() => true),
    found: 'begin runs its work once when its work throws',
  },
  'runs the work again after a conflict': {
    fault: beginningAgain((code) => code === '40001'),
    found: 'begin runs its work once when the server reports a conflict',
  },
  'runs the work again after a deadlock': {
    fault: beginningAgain((code) => code === '40P01'),
    found: 'begin runs its work once when the server reports a deadlock',
  },
  'runs the work again when the COMMIT is refused': {
    fault: beginningAgain((code) => code === '23503'),
    found: 'begin runs its work once when the COMMIT is refused',
  },
  'sends a statement again': {
    fault: (client) => ({
      query: (statement, parameters) =>
        client.query(statement, parameters).catch(() => client.query(statement, parameters)),
    }),
    found: 'query sends a statement once that the server refuses for a division by zero',
  },
  'sends statements again after a conflict': {
    fault: (client) => ({
      execute: (statements) =>
        client.execute(statements).catch((error: unknown) => {
          if ((error as { code?: string }).code !== '40001') throw error;
          return client.execute(statements);
        }),
    }),
    found: 'execute sends a statement once that the server refuses for a conflict',
  },
  'begins with a statement of its own': {
    fault: (client) => ({
      begin: (work, onBroken) =>
        client.begin(async (transaction) => {
          await transaction.query('select 1');
          return work(transaction);
        }, onBroken),
    }),
    found: 'the first statement of the work can set the isolation level',
  },
  'says that it reports rollbacks': {
    fault: (client) => ({
      tellsRollback: true,
      begin: (work, onBroken) =>
        client.begin(work, onBroken).catch((error: unknown) => {
          if ((error as { code?: string }).code !== '25P02') throw error;
          return undefined as never;
        }),
    }),
    found: 'a transaction in which a statement failed leaves nothing, though its work goes on',
  },
  'does not tell of a broken connection': {
    fault: (client) => ({ begin: (work) => client.begin(work) }),
    found: 'a connection that breaks while the work runs makes begin reject, once the work has ended',
  },
  'ends before its work when the connection breaks': {
    fault: (client) => ({
      begin: (work, onBroken) =>
        new Promise((resolve, reject) => {
          const broken = (error: unknown): void => {
            onBroken?.(error);
            reject(new Error('the connection broke', { cause: error }));
          };
          client.begin(work, broken).then(resolve, reject);
        }),
    }),
    found: 'a connection that breaks while the work runs makes begin reject, once the work has ended',
  },
};

function casesOf(fault: Fault, more: Partial<ClientUnderTest<Tx>> = {}) {
  const client = fromPg(pool);
  return clientContract<Tx>({
    can: { severalConnections: true, tellBreaks: true },
    open: () => ({
      client: { ...client, ...fault(client) },
      insert: (transaction, id) =>
        transaction.query('insert into handle_once_effects (id) values ($1)', [id]),
    }),
    ...more,
  });
}

function caseOf(fault: Fault, name: string, more: Partial<ClientUnderTest<Tx>> = {}) {
  const found = casesOf(fault, more).find((each) => each.name === name);
  return found ?? expect.unreachable(`there is no case: ${name}`);
}

describe('The contract of a Postgres client', () => {
  // Some of these could not make them.
  beforeAll(() => prepare(fromPg(pool)));

  test.each(Object.entries(FAULTS))('finds one that %s', async (_, { fault, found }) => {
    await expect(caseOf(fault, found).run()).rejects.toThrow(`broken: ${found}`);
  });

  test('finds one that has one connection, and says that it has several', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 200 });
    const client = fromPg(one);
    const found = 'a statement outside a transaction does not wait for its end, and does not see its changes';
    await expect(caseOf(() => ({ ...client }), found).run()).rejects.toThrow(`broken: ${found}`);
    await one.end();
  });

  test('finds one that lets others into a transaction on its one connection', async () => {
    const connection = await pool.connect();
    const found = 'a statement outside a transaction waits for its end, and its rollback does not undo it';
    const onOne: Fault = (client) => ({
      ...client.in(connection),
      async begin(work) {
        await connection.query('begin');
        try {
          return await work(connection);
        } finally {
          await connection.query('rollback');
        }
      },
    });
    const can = { severalConnections: false, tellBreaks: false };
    await expect(caseOf(onOne, found, { can }).run()).rejects.toThrow(`broken: ${found}`);
    connection.release();
  });

  test('finds one that answers for a server that is not there', async () => {
    const client: Client = { ...fromPg(pool), query: () => Promise.resolve([]) };
    const openUnreachable = () => ({ client, close: () => undefined });
    const found = 'a database that cannot be reached is distinguished from one that refuses';
    await expect(caseOf(() => ({}), found, { openUnreachable }).run()).rejects.toThrow(`broken: ${found}`);
  });

  test('has cases of different names', () => {
    const names = casesOf(() => ({})).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(60);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    [() => fromPg(pool), 'client: must be a client with query, execute, begin and in'],
    [() => undefined, 'open must return an object: { client, insert }'],
    [() => ({ client: fromPg(pool) }), 'insert: must be a function of (transaction, id)'],
    [() => Promise.reject(new Error('no server')), 'Error: no server'],
  ])('says in each case what is wrong with open: %s', async (open, words) => {
    const { name, run } = casesOf(() => ({}), { open: open as never })[0] ?? expect.unreachable();
    const failed = run();
    await expect(failed).rejects.toThrow(`broken: ${name}`);
    await expect(failed).rejects.toThrow(words);
  });

  test('says which rule is broken', async () => {
    const { fault, found } = FAULTS['commits when the work throws'] ?? expect.unreachable();
    await expect(caseOf(fault, found).run()).rejects.toThrow('rolled back when it throws');
  });

  test.each([
    [undefined, 'the client must be an object: { can, open }'],
    [{ open: () => undefined }, 'can: must say for each ability whether the client has it'],
    [
      { can: { severalConnections: true, tellBreaks: false } },
      'open: must be a function that gives { client, insert }',
    ],
  ])('refuses what is no client: %j', (wrong, words) => {
    expect(() => clientContract(wrong as never)).toThrow(words);
  });
});
