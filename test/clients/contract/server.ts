import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { DatabaseQueries } from '../../../src/index.ts';
import type { TestDatabase } from '../../support/database.ts';
import { actorOn, ALICE, BOB, LEASE } from '../../store/contract/actor.ts';
import { controlledPostgresStore } from '../../store/postgres/controlled-store.ts';
import { gate } from '../../support/gate.ts';
import { holdKey } from '../../store/postgres/held-key.ts';
import type { Library, OpenLibrary } from '../library.ts';
import { failuresOf } from './failures.ts';

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';

/** What takes a server: connections that break, and several of them. */
export function serverContract<Tx>(
  { url, sql }: TestDatabase,
  library: () => Library<Tx>,
  open: OpenLibrary<Tx>,
): void {
  describe('On a server', () => {
    test('a database that cannot be reached can be asked again', async () => {
      const unreachable = await open(UNREACHABLE);
      onTestFinished(async () => {
        await unreachable.close();
      });
      for (const error of await failuresOf(unreachable.client, 'handle_once', 'text')) {
        expect(error).toMatchObject({ code: 'STORE', retriable: true, dataRefused: false });
        expect(error).toMatchObject({ message: expect.stringContaining('cannot be reached') as string });
      }
    });

    test('in serializable sessions a takeover gets through, though its record changes meanwhile', async () => {
      const { pathname } = new URL(url);
      const name = sql(pathname.slice(1));
      await sql`alter database ${name} set default_transaction_isolation = 'serializable'`;
      const strict = await open(url);
      onTestFinished(async () => {
        await strict.close();
        await sql`alter database ${name} reset default_transaction_isolation`;
      });
      const actor = actorOn(controlledPostgresStore(sql, strict.client));
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      const held = await holdKey(sql, actor.scope, 'key');
      const reply = actor.claim('key', BOB);
      await held.waitedForBy(1);
      await held.commit();
      expect(await reply).toEqual({ kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE });
    });

    test('a connection that breaks in a transaction ends that alone', async () => {
      const { client } = library();
      const broken = client.begin(async (transaction) => {
        await client.in(transaction).execute('select pg_terminate_backend(pg_backend_pid())');
      });
      await expect(broken).rejects.toThrow();
      expect(await client.query('select $1::text as cell', ['alive'])).toEqual([['alive']]);
    });

    test('a connection that breaks while the work runs ends its transaction after the work, with an error', async () => {
      const { client, tellsOfBreaks = false } = library();
      const broken = gate();
      const onBroken = vi.fn(() => {
        broken.open();
      });
      let isSettled = false;
      const begun = client
        .begin(async (transaction) => {
          await terminate(await backendOf(client.in(transaction)));
          await (tellsOfBreaks ? broken.opened : undefined);
          await nextTurn();
          expect(isSettled).toBe(false);
        }, onBroken)
        .finally(() => (isSettled = true));
      await expect(begun).rejects.toThrow();
      expect(onBroken).toHaveBeenCalledTimes(tellsOfBreaks ? 1 : 0);
      expect(await client.query('select $1::text as cell', ['alive'])).toEqual([['alive']]);
    });

    async function terminate(pid: string): Promise<void> {
      await sql`select pg_terminate_backend(${pid}::int)`;
      await expect.poll(() => sql`select from pg_stat_activity where pid = ${pid}::int`).toHaveLength(0);
    }
  });
}

async function backendOf(queries: DatabaseQueries): Promise<string> {
  const [row] = await queries.query('select pg_backend_pid()::text as pid', []);
  return row?.[0] as string;
}
