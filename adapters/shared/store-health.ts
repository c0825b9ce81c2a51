import {
  type Kernel,
  endingOf,
  type Handled,
  clockOf,
  meaningOf,
  storeIsUsable,
  wasAbandoned,
} from '../../src/adapter-kit.ts';
import { type AnyHandleOnce, StoreError } from '../../src/index.ts';

/** Whether the store can be used, by its last answer. `unknown` before the first. */
export type StoreReach = 'reachable' | 'unreachable' | 'unknown';

const FRESH_MS = 10_000;

/** Follows what the store answers a consumer. */
export function watchStore(handleOnce: AnyHandleOnce, kernel: Kernel) {
  const clock = clockOf(handleOnce);
  let last: StoreReach = 'unknown';
  let answeredAt = -Infinity;
  let isAsking = false;

  /** Sets what an answer of the store says. */
  function update(isReachable: boolean): void {
    last = isReachable ? 'reachable' : 'unreachable';
    answeredAt = clock.monotonic();
  }

  async function ask(): Promise<void> {
    isAsking = true;
    update(await storeIsUsable(handleOnce).catch(() => false));
    isAsking = false;
  }

  /** What the last answer says. Where that is ten seconds old, a read of the store begins, for the next call. */
  function reach(): StoreReach {
    if (!isAsking && clock.monotonic() - answeredAt >= FRESH_MS) void ask();
    return last;
  }

  const watched: Kernel = {
    ...kernel,
    async handle(read) {
      const handled = await kernel.handle(read);
      const answered = storeAnswered(handled);
      if (answered !== undefined) update(answered);
      return handled;
    },
  };
  return { kernel: watched, store: { update, reach } };
}

/**
 * Whether the store did its part for a delivery. Undefined where not known: it got no call, or a transaction hung, as
 * when its handler ignores its timeout.
 */
export function storeAnswered(handled: Handled<unknown>): boolean | undefined {
  // A store that refuses a message's data has answered.
  if (handled.state === 'refused' && handled.error instanceof StoreError) return handled.error.dataRefused;
  return wasAbandoned(handled) ? undefined : meaningOf(endingOf(handled)).storeAnswered;
}
