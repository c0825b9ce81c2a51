import { later } from '../lib/later.ts';

/**
 * Keeps records that have lost a worker apart from the batches of a process: such a message may kill its worker again,
 * and each message of a batch would have a death more.
 *
 * A batch never waits for it, since a handler may wait for a batch of its own: while such a record runs, or waits for
 * batches that have begun before it, the messages of another batch run one by one.
 */
export function createBatchGuard() {
  let batches = 0;
  let apart = 0;
  let ended = later<undefined>();

  return {
    /** Begins a batch, and returns what ends it. Undefined where its messages have to run one by one. */
    begin(): (() => void) | undefined {
      if (apart > 0) return undefined;
      batches += 1;
      return () => {
        batches -= 1;
        if (batches > 0) return;
        ended.resolve(undefined);
        ended = later();
      };
    },
    /** No batch begins until what it returns is called. */
    holdOff(): () => void {
      apart += 1;
      return () => {
        apart -= 1;
      };
    },
    /** Resolves when no batch runs. Undefined where none does. */
    get ended(): Promise<undefined> | undefined {
      return batches === 0 ? undefined : ended.promise;
    },
  };
}
