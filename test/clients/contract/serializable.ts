import { expect, onTestFinished, test } from 'vitest';
import { actorOn, ALICE, BOB, LEASE } from '../../../testing/contracts/store/actor.ts';
import { controlledPostgresStore } from '../../store/postgres/controlled-store.ts';
import { holdKey } from '../../store/postgres/held-key.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { OpenLibrary } from '../library.ts';

export function serializableContract<Tx>({ url, sql }: TestDatabase, open: OpenLibrary<Tx>): void {
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
    expect(await reply).toMatchObject({ kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE });
  });
}
