import type { AnyHandleOnce } from '../api/handle-once.ts';
import { SchemaError, StoreError } from '../api/errors.ts';
import type { Consumer } from './consumer.ts';

/** Whether the store can be used, by its last answer. `unknown` before the first. */
export type StoreReach = 'reachable' | 'unreachable' | 'unknown';

export interface StoreHealth {
  /** What the last answer says. Where that is ten seconds old, a read of the store begins, for the next call. */
  readonly reach: () => StoreReach;
  /** Takes in an answer that another has had. */
  readonly note: (isReachable: boolean) => void;
}

const FRESH_MS = 10_000;

/** Follows what the store answers a consumer. */
export function watchStore(
  handleOnce: AnyHandleOnce,
  consumer: Consumer,
): { readonly consumer: Consumer; readonly store: StoreHealth } {
  let last: StoreReach = 'unknown';
  let answeredAt = -Infinity;
  let isAsking = false;

  function note(isReachable: boolean): void {
    last = isReachable ? 'reachable' : 'unreachable';
    answeredAt = performance.now();
  }

  async function ask(): Promise<void> {
    isAsking = true;
    note(await answers(() => handleOnce.checkStore()));
    isAsking = false;
  }

  return {
    consumer: {
      ...consumer,
      async handle(delivery) {
        try {
          const outcome = await consumer.handle(delivery);
          note(!(outcome.state === 'pending' && outcome.reason === 'unrecorded'));
          return outcome;
        } catch (error) {
          if (isOfStore(error)) note(error instanceof StoreError && error.dataRefused);
          throw error;
        }
      },
    },
    store: {
      note,
      reach() {
        if (!isAsking && performance.now() - answeredAt >= FRESH_MS) void ask();
        return last;
      },
    },
  };
}

async function answers(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    // A role that may not read the version can still do the work.
    return error instanceof StoreError && !error.retriable;
  }
}

function isOfStore(error: unknown): error is StoreError | SchemaError {
  return error instanceof StoreError || error instanceof SchemaError;
}
