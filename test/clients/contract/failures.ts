import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
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
      for (const error of errors) expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
    });
  });
}
