import { ok, rejects } from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { endsWithin } from '../../../src/lib/wait.ts';
import { equals, matches } from '../assertions.ts';
import { gate } from '../gate.ts';
import type { DatabaseClient, DatabaseQueries } from '../../../src/postgres/database-client.ts';
import type { ClientRule } from './bench.ts';
import type { ClientUnderTest } from './client-under-test.ts';
import { failuresOf } from './failures.ts';

const PATIENCE_MS = 10_000;
/** The server has closed the connection before. */
const NEWS_MS = 5_000;
const ALIVE = 'select $1::text as cell';

async function backendOf(queries: DatabaseQueries): Promise<string> {
  const [row] = await queries.query('select pg_backend_pid()::text as pid', []);
  return row?.[0] ?? '';
}

/** Ends a session of the server, and waits until it has gone. */
async function terminate(client: DatabaseClient, pid: string): Promise<void> {
  await client.query('select pg_terminate_backend($1::text::integer)::text as done', [pid]);
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = await client.query(
      'select pid::text as pid from pg_stat_activity where pid = $1::text::integer',
      [pid],
    );
    if (left.length === 0) return;
    ok(performance.now() < end, 'the session of the transaction does not end');
    await sleep(10);
  }
}

export const BREAK: ClientRule = {
  rule: 'a connection that breaks ends only its own transaction, with an error, and not before the work has ended',
  cases: {
    async 'a connection that breaks in a transaction ends only that transaction'({ client }) {
      const broken = client.begin((transaction) =>
        client.in(transaction).execute('select pg_terminate_backend(pg_backend_pid())'),
      );
      await rejects(broken);
      equals(await client.query(ALIVE, ['alive']), [['alive']]);
    },

    async 'a connection that breaks while the work runs makes begin reject, once the work has ended'({
      client,
      can,
    }) {
      const [broken, ended] = [gate(), gate()];
      const seen = { breaks: 0, isSettled: false, isEarly: false };
      const begun = client
        .begin(
          async (transaction) => {
            try {
              await terminate(client, await backendOf(client.in(transaction)));
              if (can.tellBreaks) await endsWithin(broken.passed, NEWS_MS);
              await nextTurn();
              seen.isEarly = seen.isSettled;
            } finally {
              ended.open();
            }
          },
          () => {
            seen.breaks += 1;
            broken.open();
          },
        )
        .finally(() => {
          seen.isSettled = true;
        });
      await rejects(begun);
      await ended.passed;
      ok(!seen.isEarly, 'begin settled before its work had ended');
      ok(
        seen.breaks === (can.tellBreaks ? 1 : 0),
        `onBroken was called ${seen.breaks} times: see can.tellBreaks`,
      );
      equals(await client.query(ALIVE, ['alive']), [['alive']]);
    },
  },
};

/** Of a client that another address can be given. */
export function unreachableRule(
  openUnreachable: NonNullable<ClientUnderTest['openUnreachable']>,
): ClientRule {
  return {
    rule: 'a call of a server that cannot be reached rejects, and can be sent again',
    cases: {
      async 'a database that cannot be reached is distinguished from one that refuses'() {
        const unreachable = await openUnreachable();
        try {
          for (const error of await failuresOf(unreachable.client, 'handle_once', 'text')) {
            matches(error, { code: 'STORE', retriable: true, dataRefused: false });
            ok(
              (error as Error).message.includes('cannot be reached'),
              'the error does not say what happened',
            );
          }
        } finally {
          await unreachable.close();
        }
      },
    },
  };
}
