import { ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { SchemaError } from '../../../src/words/errors.ts';
import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { ALICE, PAYLOAD, TERMS } from '../store/actor.ts';
import { succeeded } from '../store/settlements.ts';
import type { DatabaseClient } from '../../../src/postgres/database-client.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { type Bench, type ClientRule, SCHEMA } from './bench.ts';

const SECRET = 'secret-of-the-message';
const NO_SCHEMA = `${SCHEMA}_nothing`;

/** What a claim and a settle throw. Undefined for one that does not. */
export async function failuresOf(client: DatabaseClient, schema: string, text: string): Promise<unknown[]> {
  const store = createPostgresStore(client, schema);
  const key = `key ${text}`;
  const calls = [
    store.claim([{ key, token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS }),
    store.settle([{ key, token: ALICE, settlement: succeeded(JSON.stringify(text)) }], 's'),
  ];
  return thrownBy(calls);
}

async function thrownBy(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(calls);
  return results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : undefined));
}

function showsNothing(error: unknown): void {
  const everything = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
  ok(error !== undefined, 'nothing is thrown');
  ok(!everything.includes(SECRET), 'an error, or one of its causes, shows what was sent');
}

const RECORDS = `${SCHEMA}.records`;

/** Makes the database refuse a row with a secret key or result, under its own name. */
const REFUSALS: [
  what: string,
  state: string,
  add: (name: string) => string,
  remove: (name: string) => string,
][] = [
  [
    'a check constraint',
    '23514',
    (name) => `alter table ${RECORDS} add constraint ${name}
      check (strpos(key || coalesce(result, ''), '${SECRET}') = 0) not valid`,
    (name) => `alter table ${RECORDS} drop constraint if exists ${name}`,
  ],
  [
    'a cast',
    '22P02',
    (name) => `alter table ${RECORDS} add constraint ${name}
      check (strpos(key || coalesce(result, ''), '${SECRET}') = 0 or (key || coalesce(result, ''))::int = 1) not valid`,
    (name) => `alter table ${RECORDS} drop constraint if exists ${name}`,
  ],
  [
    'a trigger',
    'P0001',
    (name) => `create function ${SCHEMA}.${name}() returns trigger language plpgsql as $$ begin
        if strpos(new::text, '${SECRET}') > 0 then raise exception 'refused %', new; end if;
        return new;
      end $$;
      create trigger ${name} before insert or update on ${RECORDS}
      for each row execute function ${SCHEMA}.${name}()`,
    (name) => `drop function if exists ${SCHEMA}.${name} cascade`,
  ],
];

export const FAILURE: ClientRule = {
  rule: 'the errors of a client have the SQLSTATE, and show no parameter',
  cases: {
    async 'if the tables are missing, the error says to run migrate'({ client }) {
      for (const error of await failuresOf(client, NO_SCHEMA, 'text')) {
        ok(error instanceof SchemaError, 'the error is not a SchemaError');
        ok(error.message.includes('run migrate(sql)'), 'the message does not say to run migrate');
      }
    },

    async 'an error for a value that the database cannot store is recognised'({ client }) {
      const [error] = await failuresOf(client, SCHEMA, 'nul \0');
      matches(error, { code: 'STORE', retriable: false, dataRefused: true });
    },

    async 'errors show no key and no result, nor do their causes'({ client }) {
      const missing = await failuresOf(client, NO_SCHEMA, SECRET);
      const [refused] = await failuresOf(client, SCHEMA, `${SECRET} \0`);
      for (const error of [...missing, refused]) showsNothing(error);
    },

    ...each(
      REFUSALS,
      ([what]) => `the error of a row that ${what} refuses shows no part of the row`,
      async ({ client }: Bench, [, state, add, remove]) => {
        const store = createPostgresStore(client, SCHEMA);
        const name = `refused_${randomUUID().slice(0, 8)}`;
        const [scope, key, refused] = [randomUUID(), randomUUID(), `${randomUUID()} ${SECRET}`];
        await store.claim([{ key, token: ALICE, fingerprint: PAYLOAD }], { scope, ...TERMS });
        try {
          await client.execute(add(name));
          const errors = await thrownBy([
            store.claim([{ key: refused, token: ALICE, fingerprint: PAYLOAD }], { scope, ...TERMS }),
            store.settle([{ key, token: ALICE, settlement: succeeded(`"${SECRET}"`) }], scope),
          ]);
          equals(errors.length, 2);
          for (const error of errors) {
            matches(error, { code: 'STORE', retriable: false, cause: { code: state } });
            showsNothing(error);
          }
        } finally {
          await client.execute(remove(name));
        }
      },
    ),
  },
};
