import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DatabaseClient, SchemaError } from '../../../src/index.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { ALICE, PAYLOAD, TERMS } from '../../store/contract/actor.ts';
import { succeeded } from '../../store/contract/settlements.ts';

const SECRET = 'secret-of-the-message';

/** What a claim and a settle throw. */
export async function failuresOf(client: DatabaseClient, schema: string, text: string): Promise<unknown[]> {
  const store = createPostgresStore(client, schema);
  const key = `key ${text}`;
  const calls = [
    store.claim([{ key, token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS }),
    store.settle([{ key, token: ALICE, settlement: succeeded(JSON.stringify(text)) }], 's'),
  ];
  return Promise.all(calls.map((call) => call.then(() => expect.fail('it did not fail'), thrown)));
}

/** What makes the database refuse a row whose key or result is secret. */
const REFUSALS = {
  'a check constraint': {
    add: `alter table handle_once.records add constraint refused
      check (strpos(key || coalesce(result, ''), '${SECRET}') = 0) not valid`,
    remove: 'alter table handle_once.records drop constraint refused',
    state: '23514',
  },
  'a cast': {
    add: `alter table handle_once.records add constraint refused
      check (strpos(key || coalesce(result, ''), '${SECRET}') = 0 or (key || coalesce(result, ''))::int = 1) not valid`,
    remove: 'alter table handle_once.records drop constraint refused',
    state: '22P02',
  },
  'a trigger': {
    add: `create function refuse() returns trigger language plpgsql as $$ begin
        if strpos(new::text, '${SECRET}') > 0 then raise exception 'refused %', new; end if;
        return new;
      end $$;
      create trigger refused before insert or update on handle_once.records
      for each row execute function refuse()`,
    remove: 'drop function refuse cascade',
    state: 'P0001',
  },
};

function everythingIn(error: unknown): string {
  return inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
}

function thrown(error: unknown): unknown {
  return error;
}

export function failuresContract(client: () => DatabaseClient): void {
  describe('What it throws', () => {
    test('where the tables are missing says to run migrate', async () => {
      for (const error of await failuresOf(client(), 'elsewhere', 'text')) {
        expect(error).toBeInstanceOf(SchemaError);
        expect(error).toMatchObject({ message: expect.stringContaining('run migrate(sql)') as string });
      }
    });

    test('for what the database cannot store tells that apart', async () => {
      const [error] = await failuresOf(client(), 'handle_once', 'nul \0');
      expect(error).toMatchObject({ code: 'STORE', retriable: false, dataRefused: true });
    });

    test('shows no key and no result, nor do its causes', async () => {
      const errors = await failuresOf(client(), 'elsewhere', SECRET);
      errors.push((await failuresOf(client(), 'handle_once', `${SECRET} \0`))[0]);
      expect(errors).toHaveLength(3);
      for (const error of errors) expect(everythingIn(error)).not.toContain(SECRET);
    });

    test.each(Object.entries(REFUSALS))(
      'by %s shows nothing of the row',
      async (_, { add, remove, state }) => {
        const store = createPostgresStore(client(), 'handle_once');
        const [key, refused] = [randomUUID(), `${randomUUID()} ${SECRET}`];
        await store.claim([{ key, token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS });
        await client().execute(add);
        onTestFinished(async () => {
          await client().execute(remove);
        });
        const calls = [
          store.claim([{ key: refused, token: ALICE, fingerprint: PAYLOAD }], { scope: 's', ...TERMS }),
          store.settle([{ key, token: ALICE, settlement: succeeded(`"${SECRET}"`) }], 's'),
        ];
        for (const result of await Promise.allSettled(calls)) {
          const error: unknown = result.status === 'rejected' ? result.reason : undefined;
          expect(error).toMatchObject({
            code: 'STORE',
            retriable: false,
            cause: { code: state },
          });
          expect(everythingIn(error)).not.toContain(SECRET);
        }
      },
    );
  });
}
