import { equals, matches } from '../assertions.ts';
import { type ClientRule, SCHEMA } from './bench.ts';

const BODY = { text: `naïve "quotes" \\ {braces} ? ?? :name $1 '' 鍵 \n` };
const HANDLERS = 25;

/** How many times a handler ran. */
function counted(): { readonly handler: () => void; readonly runs: () => number } {
  let runs = 0;
  return {
    handler: () => {
      runs += 1;
    },
    runs: () => runs,
  };
}

export const MESSAGES: ClientRule = {
  rule: 'handleOnce over the client runs each message once',
  cases: {
    async 'a message is handled once, and its duplicate gets the result as it was'({ handleOnce }) {
      const first = await handleOnce('key', BODY, (body) => body);
      equals(first, { state: 'succeeded', replayed: false, attempts: 1, result: BODY });
      const { handler, runs } = counted();
      const replay = await handleOnce('key', BODY, handler);
      equals(replay, { state: 'succeeded', replayed: true, attempts: 1, result: BODY });
      equals(runs(), 0);
    },

    async 'a hundred messages run once each, though every one comes twice at the same time'({ handleOnce }) {
      const keys = Array.from({ length: 200 }, (_, index) => `key-${index % 100}`);
      const ran: string[] = [];
      const run = (key: string) => handleOnce(key, {}, () => ran.push(key), { waitMs: 20_000 });
      const outcomes = await Promise.all(keys.map(run));
      equals(
        outcomes.filter(({ state }) => state !== 'succeeded'),
        [],
      );
      equals(ran.toSorted(), [...new Set(keys)].toSorted());
    },
  },
};

export const IN_TRANSACTION: ClientRule = {
  rule: 'the effect of a handler in a transaction and its record are committed together, or neither is',
  cases: {
    async 'a handler in a transaction commits its effect with its record, and a duplicate runs nothing'(
      bench,
    ) {
      const { handleOnce, insert, effects } = bench;
      const first = await handleOnce.inTransaction('key', 'body', async (body, _, transaction) => {
        await insert(transaction, body);
        return 'done';
      });
      matches(first, { state: 'succeeded', replayed: false, result: 'done' });
      const { handler, runs } = counted();
      matches(await handleOnce.inTransaction('key', 'body', handler), { replayed: true, result: 'done' });
      equals(runs(), 0);
      equals(await effects(), ['body']);
    },

    async 'a handler in a transaction that throws leaves no effect, and is tried again as the next attempt'(
      bench,
    ) {
      const { handleOnce, insert, effects } = bench;
      const thrown = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        throw new Error('later');
      });
      matches(thrown, { state: 'pending', reason: 'released', error: { message: 'later' } });
      equals(await effects(), []);
      const again = await handleOnce.inTransaction('key', 'body', (_, __, tx) => insert(tx, 'whole'));
      matches(again, { state: 'succeeded', attempts: 2 });
      equals(await effects(), ['whole']);
    },

    async 'a handler in a transaction whose statement is refused is tried again, though it goes on'(bench) {
      const { client, handleOnce, insert, effects } = bench;
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        await client
          .in(transaction)
          .execute('select 1/0')
          .catch(() => undefined);
      });
      matches(outcome, { state: 'pending', reason: 'released' });
      equals(await effects(), []);
    },

    async 'a handler in a transaction that leaves a failing statement behind has both, effect and record, or neither'(
      bench,
    ) {
      const { client, handleOnce, insert, effects } = bench;
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'half');
        const queries = client.in(transaction);
        void queries
          .execute('select pg_sleep(0.05)')
          .then(() => queries.execute('select 1/0'))
          .catch(() => undefined);
      });
      // A library may send the second statement after the COMMIT: then the effect and the record are there together.
      const isCommitted = outcome.state === 'succeeded';
      equals(await effects(), isCommitted ? ['half'] : []);
      const { handler, runs } = counted();
      const again = await handleOnce.inTransaction('key', 'body', handler);
      equals([again.state, runs()], ['succeeded', isCommitted ? 0 : 1]);
    },

    async 'a handler in a transaction whose COMMIT is refused leaves nothing, and is tried again'(bench) {
      const { client, handleOnce, insert, effects } = bench;
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
        await insert(transaction, 'effect');
        await client.in(transaction).execute(`insert into ${SCHEMA}.links values ('child', 'no parent')`);
      });
      matches(outcome, { state: 'pending', reason: 'released', attempts: 1 });
      equals(await effects(), []);
    },

    async 'a batch commits the effects of all its messages with their records, and one that throws is undone'(
      bench,
    ) {
      const { handleOnce, insert, effects } = bench;
      const outcomes = await handleOnce.inTransaction.batch(
        ['a', 'b', 'bad'].map((key) => ({ key, payload: key })),
        async (keys, _, transaction) => {
          for (const key of keys) await insert(transaction, key);
          if (keys.includes('bad')) throw new Error('bad');
          return keys;
        },
      );
      equals(
        outcomes.map(({ state }) => state),
        ['succeeded', 'succeeded', 'pending'],
      );
      equals(await effects(), ['a', 'b']);
      const again = await handleOnce.inTransaction.batch(
        ['c', 'd'].map((key) => ({ key, payload: key })),
        async (keys, _, transaction) => {
          for (const key of keys) await insert(transaction, key);
        },
      );
      matches(again, [{ state: 'succeeded' }, { state: 'succeeded' }]);
      equals(await effects(), ['a', 'b', 'c', 'd']);
    },

    async 'a batch whose statement is refused leaves nothing, and counts once for each, though it goes on'(
      bench,
    ) {
      const { client, handleOnce, insert, effects } = bench;
      const outcomes = await handleOnce.inTransaction.batch(
        ['a', 'b'].map((key) => ({ key, payload: key })),
        async (keys, _, transaction) => {
          for (const key of keys) await insert(transaction, key);
          await client
            .in(transaction)
            .execute('select 1/0')
            .catch(() => undefined);
        },
      );
      const undone = { state: 'pending', reason: 'released', attempts: 1 };
      matches(outcomes, [undone, undone]);
      equals(await effects(), []);
    },

    async 'more handlers in transactions than the client has connections all succeed'(bench) {
      const { handleOnce, insert, effects } = bench;
      const keys = Array.from({ length: HANDLERS }, (_, index) => `key-${index}`);
      const outcomes = await Promise.all(
        keys.map((key) => handleOnce.inTransaction(key, 'body', (_, __, tx) => insert(tx, key))),
      );
      equals(
        outcomes.filter(({ state }) => state !== 'succeeded'),
        [],
      );
      equals(await effects(), keys.toSorted());
    },
  },
};
