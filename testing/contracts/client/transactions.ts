import { ok, rejects } from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { endsWithin } from '../../../src/lib/wait.ts';
import { equals } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { gate } from '../gate.ts';
import { sqlState } from '../../../src/postgres/error-layers.ts';
import type { DatabaseQueries } from '../../../src/postgres/database-client.ts';
import { endOf } from '../../../src/postgres/ended.ts';
import { type Bench, type ClientRule, SCHEMA } from './bench.ts';
import { raise } from './queries.ts';

const PATIENCE_MS = 10_000;
const ROLLED_BACK = '25P02';

/** How the work of a transaction fails. */
const FAILING: [what: string, fail: (queries: DatabaseQueries) => Promise<unknown>][] = [
  ['its work throws', () => Promise.reject(new Error('of the work'))],
  ['the server reports a conflict', (queries) => queries.execute(raise('40001'))],
  ['the server reports a deadlock', (queries) => queries.execute(raise('40P01'))],
  [
    'the COMMIT is refused',
    (queries) => queries.execute(`insert into ${SCHEMA}.links values ('child', 'no parent')`),
  ],
];

/** Sends something in each of many turns, without waiting for an answer until all are sent. */
async function inTurns(turns: number, send: (turn: number) => PromiseLike<unknown>): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    sent.push(endOf(async () => await send(turn)));
    await nextTurn();
  }
  await Promise.all(sent);
}

export const TRANSACTION: ClientRule = {
  rule:
    'begin runs work once in a transaction of its own, which is committed when the work is done and rolled back when it ' +
    'throws; in(transaction) runs statements in that one',
  cases: {
    async 'begin gives what its work gives'({ client }) {
      const given = { value: 'given' };
      ok((await client.begin(() => Promise.resolve(given))) === given, 'begin gives something else');
    },

    async 'begin throws what its work throws'({ client }) {
      const error = new Error('of the work');
      await rejects(
        client.begin(() => Promise.reject(error)),
        (thrown) => {
          ok(thrown === error, 'begin throws something else');
          return true;
        },
      );
    },

    ...each(
      FAILING,
      ([what]) => `begin runs its work once when ${what}`,
      async ({ client }: Bench, [, fail]) => {
        let runs = 0;
        const begun = client.begin(async (transaction) => {
          runs += 1;
          await fail(client.in(transaction));
        });
        await rejects(begun);
        ok(runs === 1, `begin ran its work ${runs} times: what failed is left to the next attempt`);
      },
    ),

    async 'begin has committed what its work wrote when it resolves'({ client, insert, insertBy, effects }) {
      await client.begin(async (transaction) => {
        await insert(transaction, 'by the library');
        await insertBy(client.in(transaction), 'by a statement');
      });
      equals(await effects(), ['by a statement', 'by the library']);
    },

    async 'begin undoes what its work wrote when that throws'({ client, insert, insertBy, effects }) {
      const undone = client.begin(async (transaction) => {
        await insert(transaction, 'by the library');
        await insertBy(client.in(transaction), 'by a statement');
        throw new Error('undone');
      });
      await rejects(undone);
      equals(await effects(), []);
    },

    async 'begin undoes what is sent to its transaction after its work has thrown'({
      client,
      insert,
      effects,
    }) {
      const sent: Promise<void>[] = [];
      const begun = client.begin((transaction) => {
        sent.push(inTurns(20, (turn) => insert(transaction, `at once ${turn}`)));
        sent.push(begun.catch(() => inTurns(2, (turn) => insert(transaction, `after the end ${turn}`))));
        return Promise.reject(new Error('undone'));
      });
      await rejects(begun);
      await Promise.all(sent);
      equals(await effects(), []);
    },

    async 'in(transaction) sees what the transaction wrote'({ client, insert, effects }) {
      const seen = await client.begin(async (transaction) => {
        await insert(transaction, 'effect');
        return effects(client.in(transaction));
      });
      equals(seen, ['effect']);
    },

    async 'the first statement of the work can set the isolation level'({ client }) {
      const level = await client.begin(async (transaction) => {
        const queries = client.in(transaction);
        await queries.execute('set transaction isolation level serializable');
        return queries.query(`select current_setting('transaction_isolation') as level`, []);
      });
      equals(level, [['serializable']]);
    },

    async 'a rollback to a savepoint undoes only what came after it'({ client, insertBy, effects }) {
      await client.begin(async (transaction) => {
        const queries = client.in(transaction);
        await insertBy(queries, 'before');
        await queries.execute('savepoint here');
        await insertBy(queries, 'undone');
        await queries.execute('rollback to savepoint here');
        await insertBy(queries, 'after');
      });
      equals(await effects(), ['after', 'before']);
    },

    async 'a transaction in which a statement failed leaves nothing, though its work goes on'(bench) {
      const { client, effects } = bench;
      const thrown = await failedInside(bench);
      equals(await effects(), []);
      if (client.tellsRollback === true) equals(sqlState(thrown), ROLLED_BACK);
    },

    async 'a COMMIT that is refused rejects with its SQLSTATE, and leaves nothing'({
      client,
      insert,
      effects,
    }) {
      const refused = client.begin(async (transaction) => {
        await insert(transaction, 'effect');
        await client.in(transaction).execute(`insert into ${SCHEMA}.links values ('child', 'no parent')`);
      });
      await rejects(refused, (error) => {
        equals(sqlState(error), '23503');
        return true;
      });
      equals(await effects(), []);
    },
  },
};

/** What `begin` throws for work that does not look at the error of a statement. Undefined: it does not say. */
async function failedInside({ client, insert }: Bench): Promise<unknown> {
  const begun = client.begin(async (transaction) => {
    await insert(transaction, 'effect');
    await client
      .in(transaction)
      .execute('select 1/0')
      .catch(() => undefined);
  });
  return begun.then(
    () => undefined,
    (error: unknown) => error,
  );
}

export const SEVERAL_CONNECTIONS: ClientRule = {
  rule: 'a transaction has its own connection, and delays no other statement',
  cases: {
    async 'a statement outside a transaction does not wait for its end, and does not see its changes'(bench) {
      const { client, insert, effects } = bench;
      await client.begin(async (transaction) => {
        await insert(transaction, 'effect');
        const seen = effects();
        ok(await endsWithin(seen, PATIENCE_MS), 'a statement outside a transaction waits for its end');
        equals(await seen, []);
      });
      equals(await effects(), ['effect']);
    },

    async 'two transactions at the same time are on two connections'({ client }) {
      const [here, there] = [gate(), gate()];
      const backend = (mine: ReturnType<typeof gate>, other: ReturnType<typeof gate>) =>
        client.begin(async (transaction) => {
          mine.open();
          ok(await endsWithin(other.passed, PATIENCE_MS), 'the second transaction waits for the first');
          return client.in(transaction).query('select pg_backend_pid()::text as pid', []);
        });
      const [[one], [other]] = await Promise.all([backend(here, there), backend(there, here)]);
      equals(one?.[0] === other?.[0], false);
    },
  },
};

export const ONE_CONNECTION: ClientRule = {
  rule: 'on one connection other statements wait for a transaction, and never run inside it',
  cases: {
    async 'a statement outside a transaction waits for its end, and its rollback does not undo it'(bench) {
      const { client, insertBy, effects } = bench;
      const beside: { written?: Promise<unknown> } = {};
      const undone = client.begin(async () => {
        beside.written = insertBy(client, 'beside');
        await sleep(50);
        throw new Error('undone');
      });
      await rejects(undone);
      await beside.written;
      equals(await effects(), ['beside']);
    },
  },
};
