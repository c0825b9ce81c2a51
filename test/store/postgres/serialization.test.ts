import { expect, test } from 'vitest';
import type { PostgresClient } from '../../../src/postgres/postgres-client.ts';
import { useDatabase } from '../../support/database.ts';
import { type Actor, actorOn, ALICE, BOB, LEASE } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

const { url, sql } = useDatabase();
const workers = useClient(url, { connection: { default_transaction_isolation: 'serializable' } });

const VERBS: [verb: string, send: (actor: Actor) => Promise<unknown>, reply: unknown][] = [
  [
    'claim',
    (actor) => actor.claim('key', BOB),
    { kind: 'claimed', attempts: 2, failures: 0, ageMs: expect.any(Number) as number, deadToken: ALICE },
  ],
  ['settle', (actor) => actor.settle('key', ALICE, succeeded()), 'settled'],
  ['heartbeat', (actor) => actor.extend('key', ALICE), 'extended'],
];

test.each(VERBS)(
  'in serializable sessions a %s gets through, though its record changes at every try',
  async (_, send, reply) => {
    const lateClient: PostgresClient = {
      unsafe: (...query) => workers.unsafe(...query),
      async begin(options, run) {
        const again = await holdKey(sql, actor.scope, 'key');
        const answer = workers.begin(options, run);
        await again.waitedForBy(1);
        await again.commit();
        return answer;
      },
    };
    const actor = actorOn(controlledPostgresStore(sql, lateClient));
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);

    const held = await holdKey(sql, actor.scope, 'key');
    const replied = send(actor);
    await held.waitedForBy(1);
    await held.commit();

    expect(await replied).toEqual(reply);
  },
);
