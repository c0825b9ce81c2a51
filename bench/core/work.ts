import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';

export interface Done {
  readonly ok: true;
}

/** What a handler does, and how often it has been done. */
export interface Work {
  readonly name: string;
  readonly run: () => Promise<Done>;
  readonly done: () => Promise<number>;
}

export const WORK_NAMES = ['empty', 'one INSERT', '5 ms of waiting'] as const;
export type WorkName = (typeof WORK_NAMES)[number];

const OK: Done = { ok: true };

/** Work of one contender alone, so that what it did can be counted. */
export async function createWork(sql: postgres.Sql, name: WorkName, contender: string): Promise<Work> {
  switch (name) {
    case 'empty':
      return counted(name, () => Promise.resolve());
    case '5 ms of waiting':
      return counted(name, () => sleep(5));
    case 'one INSERT':
      return await inserts(sql, name, contender);
  }
}

function counted(name: string, act: () => Promise<void>): Work {
  let count = 0;
  return {
    name,
    async run() {
      await act();
      count += 1;
      return OK;
    },
    done: () => Promise.resolve(count),
  };
}

async function inserts(sql: postgres.Sql, name: string, contender: string): Promise<Work> {
  const table = sql(`effects of ${contender}`);
  await sql`create table ${table} (id bigint generated always as identity primary key, cents integer not null)`;
  return {
    name,
    async run() {
      await sql`insert into ${table} (cents) values (4200)`;
      return OK;
    },
    async done() {
      const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from ${table}`;
      return count;
    },
  };
}
