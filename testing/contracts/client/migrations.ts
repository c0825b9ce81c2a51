import { randomUUID } from 'node:crypto';
import { migrate } from '../../../src/migrations/migrate.ts';
import { equals } from '../assertions.ts';
import type { DatabaseClient } from '../../../src/postgres/database-client.ts';
import { type ClientRule, SCHEMA } from './bench.ts';

const AT_ONCE = 8;

async function inNewSchema(client: DatabaseClient, use: (schema: string) => Promise<void>): Promise<void> {
  const schema = `${SCHEMA}_${randomUUID().slice(0, 8)}`;
  try {
    await use(schema);
  } finally {
    await client.execute(`drop schema if exists "${schema}" cascade`);
  }
}

export const MIGRATION: ClientRule = {
  rule: 'migrate makes the tables in one transaction, once',
  cases: {
    async 'migrate makes the tables, and a second one finds them'({ client }) {
      await inNewSchema(client, async (schema) => {
        const first = await migrate(client, { schema });
        equals(first.applied.length > 0, true);
        equals(await migrate(client, { schema }), { version: first.version, applied: [] });
      });
    },

    async 'if many migrate at the same time, one makes the tables'({ client }) {
      await inNewSchema(client, async (schema) => {
        const all = await Promise.all(Array.from({ length: AT_ONCE }, () => migrate(client, { schema })));
        equals(all.filter(({ applied }) => applied.length > 0).length, 1);
      });
    },
  },
};
