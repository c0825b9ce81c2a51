import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandleOnce, type DatabaseClient } from '../../../src/index.ts';

export function hotPathContract(client: () => DatabaseClient): void {
  test('handles a message with two statements, and replays it with one', async () => {
    const counting = counted(client());
    const handleOnce = createHandleOnce({ sql: counting.client, scope: randomUUID() });
    // Once a day a process says which it is, beside the first message.
    await handleOnce('first', 'body', () => undefined);
    const before = counting.statements();
    await handleOnce('key', 'body', () => undefined);
    expect(counting.statements() - before).toBe(2);
    await handleOnce('key', 'body', () => undefined);
    expect(counting.statements() - before).toBe(3);
  });
}

/** Statements that a client has run, counted. */
interface Counted {
  readonly client: DatabaseClient;
  statements(): number;
}

function counted(client: DatabaseClient): Counted {
  let statements = 0;
  return {
    client: {
      ...client,
      query(statement, parameters) {
        statements += 1;
        return client.query(statement, parameters);
      },
      begin: () => Promise.reject(new Error('the hot path opens no transaction')),
    },
    statements: () => statements,
  };
}
