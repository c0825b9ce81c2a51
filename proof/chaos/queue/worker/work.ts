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
  /** `together`: how many messages the handler has got. */
  begin(message: number, together?: number): Run;
  /** What is before the effects. Returns when it saw no abort. */
  prepare(signal?: AbortSignal): Promise<number>;
  /** Whether a message fails, as some do. It is marked, where that can be done, or its whole run throws. */
  fails(failure: () => Error, mark?: (error: Error) => void): boolean;
  takeEffects(sql: postgres.Sql | postgres.TransactionSql, effects: readonly Effect[]): Promise<void>;
}

/** The share of failures that are not marked where they could be. */
const THROWING = 0.5;

export function createWork({ seed, worker, handlerMs, failing }: WorkerSettings, reach: Reach): Work {
  const random = seeded(seed * 1_000 + worker);
  const [least, most] = handlerMs;
  return {
    begin(message, together = 1) {
      const run = randomUUID();
      report({ type: 'began', run, message, together, wallClock: Date.now() });
      reach('in-handler');
      return { run, message };
    },
    async prepare(signal) {
      const heeded = signal !== undefined && random() < 0.5 ? { signal } : {};
      await sleep(least + random() * (most - least), undefined, heeded);
      const lookedAt = now();
      signal?.throwIfAborted();
      return lookedAt;
    },
    fails(failure, mark) {
      if (random() >= failing) return false;
      if (mark === undefined || random() < THROWING) throw failure();
      mark(failure());
      return true;
    },
    async takeEffects(sql, effects) {
      await sql`
        with own as (
          select * from jsonb_to_recordset(${JSON.stringify(effects)}::text::jsonb)
            as own (run text, message integer, "lookedAt" double precision, "effectKey" text)
        ), keyed as (
          insert into keyed_effects (effect_key) select "effectKey" from own where "effectKey" is not null
          on conflict (effect_key) do nothing
        )
        insert into effects (run, message, looked_at) select run, message, "lookedAt" from own`;
      reach('after-effect');
    },
  };
}
