import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { createHandleOnce, type HandleOnce, type Outcome } from '../../src/index.ts';
import { type Figures, measured } from './figures.ts';

type Note = (milliseconds: number, isRight: boolean) => void;

function limited(sql: Sql): HandleOnce {
  return createHandleOnce({ sql, scope: 'limits', onEvent: () => undefined });
}

/** Succeeded by this very call, at its first attempt. */
function isFirstSuccess(outcome: Outcome<unknown>): boolean {
  return outcome.state === 'succeeded' && !outcome.replayed && outcome.attempts === 1;
}

/** Calls `handleOnce` with a handler that takes so long, and notes what the call took beside it. */
async function timed(
  handleOnce: HandleOnce,
  key: string,
  handlerMs: number,
  note: Note,
  isRight: (outcome: Outcome<unknown>) => boolean,
): Promise<void> {
  const startedAt = performance.now();
  let handledMs = 0;
  try {
    const outcome = await handleOnce(key, { key }, async () => {
      const begunAt = performance.now();
      await sleep(handlerMs);
      handledMs = performance.now() - begunAt;
    });
    note(performance.now() - startedAt - handledMs, isRight(outcome));
  } catch {
    note(performance.now() - startedAt - handledMs, false);
  }
}

/** So many messages in flight for so long, each with a handler of `handlerMs`. */
export function inFlight(
  sql: Sql,
  { lanes, forMs, handlerMs }: { lanes: number; forMs: number; handlerMs: number },
): Promise<Figures> {
  const handleOnce = limited(sql);
  return measured(async (note) => {
    const endsAt = performance.now() + forMs;
    let runs = 0;
    const lane = async (number: number): Promise<void> => {
      for (let turn = 0; performance.now() < endsAt; turn += 1) {
        runs += 1;
        await timed(handleOnce, `in-flight-${number}-${turn}`, handlerMs, note, isFirstSuccess);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    return { runs };
  });
}

/** So many calls, each of a message of its own, made before one of them is answered. */
export function atOnce(sql: Sql, calls: number): Promise<Figures> {
  const handleOnce = limited(sql);
  return measured(async (note) => {
    let runs = 0;
    await Promise.all(
      Array.from({ length: calls }, async (_, number) => {
        const startedAt = performance.now();
        try {
          const outcome = await handleOnce(`at-once-${number}`, { number }, () => {
            runs += 1;
          });
          note(performance.now() - startedAt, isFirstSuccess(outcome));
        } catch {
          note(performance.now() - startedAt, false);
        }
      }),
    );
    return { runs };
  });
}

/** So many callers of one key, who wait for its owner. One of them runs the handler, and all get what it returned. */
export function oneKey(
  sql: Sql,
  { callers, handlerMs, waitMs }: { callers: number; handlerMs: number; waitMs: number },
): Promise<Figures> {
  const handleOnce = limited(sql);
  return measured(async (note) => {
    let runs = 0;
    await Promise.all(
      Array.from({ length: callers }, async () => {
        const startedAt = performance.now();
        const work = async (): Promise<string> => {
          runs += 1;
          await sleep(handlerMs);
          return 'done';
        };
        try {
          const outcome = await handleOnce('one-key', 'payload', work, { waitMs });
          const isRight =
            outcome.state === 'succeeded' && outcome.result === 'done' && outcome.attempts === 1;
          note(performance.now() - startedAt, isRight);
        } catch {
          note(performance.now() - startedAt, false);
        }
      }),
    );
    return { runs };
  });
}
