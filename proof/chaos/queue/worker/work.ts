import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { seeded } from '../../../../test/kafka/broker/support/seeded.ts';
import { now } from '../now.ts';
import type { WorkerSettings } from '../settings.ts';
import type { Reach } from './points.ts';
import { report } from './report.ts';

export interface Run {
  readonly run: string;
  readonly message: number;
}

export interface Effect extends Run {
  readonly lookedAt: number;
  /** By which its receiver knows it. Null: it does not. */
  readonly effectKey: string | null;
}

/** What a handler does. */
export interface Work {
  begin(message: number): Run;
  /** What is before the effect. Rejects now and then, with what `failure` makes. Returns when it saw no abort. */
  prepare(failure: () => Error, signal?: AbortSignal): Promise<number>;
  takeEffect(sql: postgres.Sql | postgres.TransactionSql, effect: Effect): Promise<void>;
}

export function createWork({ seed, worker, handlerMs, failing }: WorkerSettings, reach: Reach): Work {
  const random = seeded(seed * 1_000 + worker);
  const [least, most] = handlerMs;
  return {
    begin(message) {
      const run = randomUUID();
      report({ type: 'began', run, message, wallClock: Date.now() });
      reach('in-handler');
      return { run, message };
    },
    async prepare(failure, signal) {
      const heeded = signal !== undefined && random() < 0.5 ? { signal } : {};
      await sleep(least + random() * (most - least), undefined, heeded);
      if (random() < failing) throw failure();
      const lookedAt = now();
      signal?.throwIfAborted();
      return lookedAt;
    },
    async takeEffect(sql, { run, message, lookedAt, effectKey }) {
      await sql`
        with keyed as (
          insert into keyed_effects (effect_key) select ${effectKey}::text where ${effectKey}::text is not null
          on conflict (effect_key) do nothing
        )
        insert into effects (run, message, looked_at) values (${run}, ${message}, ${lookedAt})`;
      reach('after-effect');
    },
  };
}
