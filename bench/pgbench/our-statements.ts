import { arrayLiteral } from '../../src/postgres/array.ts';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import type { Store } from '../../src/store/store.ts';

const LEASE_MS = 30_000;
const RETENTION_MS = 604_800_000;

/** A statement for pgbench, and the values of its variables. Keys and tokens are those of batch `:id`. */
export interface Script {
  readonly sql: string;
  readonly variables: Readonly<Record<string, string>>;
}

export async function claimScript(scope: string, batch: number): Promise<Script> {
  const terms = {
    scope,
    leaseMs: LEASE_MS,
    maxAttempts: 12,
    maxDeaths: 5,
    failedRetentionMs: RETENTION_MS,
    mayOwnSuspects: false,
  };
  const asked = messages(batch).map((message) => ({ ...message, fingerprint: 'ab'.repeat(32) }));
  return toScript('claim', batch, await sentBy((store) => store.claim(asked, terms)));
}

export async function settleScript(scope: string, batch: number): Promise<Script> {
  const settlement = {
    kind: 'succeed',
    result: '{"ok":true}',
    resultOmitted: null,
    retentionMs: RETENTION_MS,
  } as const;
  const asked = messages(batch).map((message) => ({ ...message, settlement }));
  return toScript('settle', batch, await sentBy((store) => store.settle(asked, scope)));
}

/** In the order in which the store sends them. */
function messages(batch: number): { key: string; token: string }[] {
  return Array.from({ length: batch }, (_, index) => {
    const number = String(index).padStart(4, '0');
    return { key: `key-${number}`, token: `token-${number}` };
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

function toScript(name: string, batch: number, { statement, parameters }: Sent): Script {
  const keys = arrayLiteral(messages(batch).map(({ key }) => key));
  const tokens = arrayLiteral(messages(batch).map(({ token }) => token));
  const variables: Record<string, string> = {};
  const sql = statement.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? '';
    if (value === keys) return '(select keys from batches where id = :id)';
    if (value === tokens) return '(select tokens from batches where id = :id)';
    variables[`${name}${number}`] = value;
    return `:${name}${number}`;
  });
  return { sql, variables };
}
