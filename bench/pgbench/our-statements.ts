import { arrayLiteral } from '../../src/store/postgres/array.ts';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import type { Store } from '../../src/store/store.ts';

const LEASE_MS = 30_000;
const RETENTION_MS = 604_800_000;

/** A statement for pgbench, and the values of its variables. */
export interface Script {
  readonly sql: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Claims the messages of batch `:id`, and settles those of the batch before it. */
export async function exchangeScript(scope: string, batch: number): Promise<Script> {
  const terms = {
    scope,
    leaseMs: LEASE_MS,
    maxAttempts: 12,
    maxDeaths: 5,
    failedRetentionMs: RETENTION_MS,
    mayOwnSuspects: false,
  };
  const settlement = {
    kind: 'succeed',
    result: '{"ok":true}',
    resultOmitted: null,
    retentionMs: RETENTION_MS,
  } as const;
  const claims = messages('next', batch).map((message) => ({ ...message, fingerprint: 'ab'.repeat(32) }));
  const settles = messages('last', batch).map((message) => ({ ...message, settlement }));
  return toScript(batch, await sentBy(async (store) => await store.exchange?.send(claims, settles, terms)));
}

/** In the order in which the store sends them. */
function messages(of: 'next' | 'last', batch: number): { key: string; token: string }[] {
  return Array.from({ length: batch }, (_, index) => {
    const number = String(index).padStart(4, '0');
    return { key: `${of}-key-${number}`, token: `${of}-token-${number}` };
  });
}

interface Sent {
  readonly statement: string;
  readonly parameters: readonly (string | null)[];
}

/** The first statement that a store sends. It gets no rows, and what the store makes of that does not matter. */
async function sentBy(ask: (store: Store) => Promise<unknown>): Promise<Sent> {
  const all: Sent[] = [];
  const client = {
    unsafe(statement: string, parameters: (string | null)[] = []) {
      all.push({ statement, parameters });
      return { raw: () => Promise.resolve([]) };
    },
    begin: () => Promise.reject(new Error('no transaction here')),
  };
  await ask(createPostgresStore(client, 'handle_once')).catch(() => undefined);
  const [sent] = all;
  if (sent === undefined) throw new Error('the store sent nothing');
  return sent;
}

function toScript(batch: number, { statement, parameters }: Sent): Script {
  const places = new Map<string, string>();
  for (const [of, id] of [
    ['next', ':id'],
    ['last', ':id - 1'],
  ] as const) {
    const some = messages(of, batch);
    places.set(arrayLiteral(some.map(({ key }) => key)), `(select keys from batches where id = ${id})`);
    places.set(arrayLiteral(some.map(({ token }) => token)), `(select tokens from batches where id = ${id})`);
  }
  const variables: Record<string, string> = {};
  const sql = statement.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? '';
    const place = places.get(value);
    if (place !== undefined) return place;
    variables[`p${number}`] = value;
    return `:p${number}`;
  });
  return { sql, variables };
}
