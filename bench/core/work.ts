import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { type Done, OK } from './done.ts';
import { createEffects } from './effects.ts';

/** What a handler does, and how often it has been done. */
export interface Work {
  readonly name: string;
  readonly run: () => Promise<Done>;
  readonly done: () => Promise<number>;
}

export const WORK_NAMES = ['empty', 'one INSERT', '5 ms of waiting'] as const;
export type WorkName = (typeof WORK_NAMES)[number];

/** Work of one contender alone, so that what it did can be counted. */
export async function createWork(sql: postgres.Sql, name: WorkName, contender: string): Promise<Work> {
  switch (name) {
    case 'empty':
      return counted(name, () => Promise.resolve());
    case '5 ms of waiting':
      return counted(name, () => sleep(5));
    case 'one INSERT': {
      const effects = await createEffects(sql, contender);
      return { ...effects, run: () => effects.insert(sql) };
    }
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
