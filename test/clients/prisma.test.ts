import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fromPrisma } from '../../adapters/clients/index.ts';
import { createHandleOnce } from '../../src/index.ts';
import { typeErrors } from '../docs/type-errors.ts';
import { useDatabase } from '../support/database.ts';
import { clientContract } from './contract.ts';
import { column, type Library } from './library.ts';
import { type PrismaClient, type PrismaTransaction, usePrisma } from './support/prisma-client.ts';

const prisma = usePrisma();

async function open(url: string): Promise<Library<PrismaTransaction>> {
  const client = await prisma.connect(url);
  return {
    client: fromPrisma(client),
    insert: (transaction, id) => transaction.effect.create({ data: { id } }),
    close: () => client.$disconnect(),
  };
}

clientContract('Prisma', open);

const { url } = useDatabase();

async function connect(timeoutMs?: number): Promise<PrismaClient> {
  const client = await prisma.connect(url, timeoutMs);
  onTestFinished(() => client.$disconnect());
  return client;
}

test("a handler that outlives Prisma's timeout leaves nothing of its effect, and is tried again", async () => {
  const client = await connect(100);
  await client.$executeRawUnsafe('create table handle_once_effects (id text not null)');
  const handleOnce = createHandleOnce({ sql: fromPrisma(client), scope: 'slow' });
  const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, transaction) => {
    await transaction.effect.create({ data: { id: 'too late' } });
    await expect.poll(() => isOver(transaction.$queryRawUnsafe('select 1'))).toBe(true);
  });
  expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
  expect(await column(fromPrisma(client), 'select id from handle_once_effects')).toEqual([]);
});

async function isOver(query: PromiseLike<unknown>): Promise<boolean> {
  return Promise.resolve(query).then(
    () => false,
    () => true,
  );
}

test('a transaction in place of a client is refused with words', async () => {
  const client = await connect();
  await client.$transaction((transaction) => {
    expect(() => fromPrisma(transaction as never)).toThrow(
      /fromPrisma: prisma: must be a PrismaClient, not one of its transactions/,
    );
    return Promise.resolve();
  });
});

const TYPES: readonly [name: string, code: string, errors: unknown[]][] = [
  [
    'a generated client fits, and gives handlers its own transaction',
    `const sql = fromPrisma(prisma);
    void migrate(sql);
    const handleOnce = createHandleOnce({ sql, scope: 'a' });
    void handleOnce.inTransaction('key', 'body', (_payload, _attempt, tx) => write(tx));`,
    [],
  ],
  [
    'an extended client fits too, with what it adds',
    `const extended = prisma.$extends({ client: { $greet: () => 'hello' } });
    void fromPrisma(extended).begin(async (tx) => {
      await tx.effect.create({ data: { id: tx.$greet() } });
    });`,
    [],
  ],
  [
    'a transaction is no client',
    `void prisma.$transaction(async (tx) => { fromPrisma(tx); });`,
    [expect.stringContaining("Property '$connect' is missing")],
  ],
];

describe('By its types', () => {
  let found: readonly string[] = [];

  // One program for all: most of the time goes into the types of the client.
  beforeAll(async () => {
    found = await typeErrors(
      TYPES.map(([where, code]) => ({ where, code })),
      `import { createHandleOnce, migrate } from 'handle-once';
      import { fromPrisma } from 'handle-once/clients';
      import { type Prisma, PrismaClient } from '${prisma.module}';
      declare const prisma: PrismaClient;
      declare function write(transaction: Prisma.TransactionClient): Promise<void>;`,
    );
  });

  test.each(TYPES)('%s', (name, _, errors) => {
    expect(found.filter((error) => error.startsWith(`${name}: `))).toEqual(errors);
  });
});
