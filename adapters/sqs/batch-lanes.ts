import { type AnyBatchHandler, Batch, type Clock, BatchGatherer } from '../../src/adapter-kit.ts';
import type { LanesOptions } from './lanes.ts';

export interface Batching {
  /** The most messages of a batch. */
  readonly size: number;
  /** Milliseconds for which a message waits for others while a receive is under way. */
  readonly waitMs: number;
  readonly handler: AnyBatchHandler;
}

/** `concurrency` is of batches, and `run` of one message, which gets a seat. */
interface BatchLanesOptions<Item> extends LanesOptions<Item> {
  readonly batching: Batching;
  readonly clock: Clock;
  readonly bytesOf: (item: Item) => number;
}

/**
 * As `createLanes`, with batches in place of messages. A batch can have messages of many FIFO groups. A group is in one
 * batch at a time: what comes of it meanwhile waits.
 *
 * Messages gather only while a batch may start. What comes while all handlers are busy waits in line, and fills the
 * next batch.
 */
export function createBatchLanes<Item>(options: BatchLanesOptions<Item>) {
  const { batching, concurrency, groupOf, clock, bytesOf } = options;
  const { size, waitMs, handler } = batching;
  const gatherer = new BatchGatherer<Item>({ size, waitMs, clock, bytesOf, start });
  let waiting: Item[] = [];
  const running = new Set<Promise<void>>();
  const busyGroups = new Set<string>();
  let handling = 0;
  /** Messages that wait, gather or run. */
  let here = 0;
  let isCleared = false;

  function gather(): void {
    const items = waiting;
    waiting = [];
    for (const item of items) {
      // What is gathered may have its group.
      if (mayStart(item) && !gatherer.fits(item)) gatherer.startNow();
      if (mayStart(item)) gatherer.add(item);
      else waiting.push(item);
    }
  }

  function mayStart(item: Item): boolean {
    return handling < concurrency && !isBlocked(item);
  }

  function isBlocked(item: Item): boolean {
    const group = groupOf(item);
    return group !== undefined && busyGroups.has(group);
  }

  function start(items: readonly Item[]): void {
    if (isCleared) {
      giveBack(items);
      return;
    }
    handling += 1;
    for (const group of groupsOf(items)) busyGroups.add(group);
    const run = runBatch(items).then(() => {
      running.delete(run);
      here -= items.length;
      options.onRoom();
    });
    running.add(run);
  }

  /** The slot is free when all messages are answered. A group with a kept message waits for the queue too. */
  async function runBatch(items: readonly Item[]): Promise<void> {
    const batch = new Batch(handler);
    const kept = new Set<string>();
    const ended = items.map(async (item) => {
      const group = groupOf(item);
      const seat = batch.take(group);
      const onAnswered = (acknowledged: boolean): void => {
        seat.leave(acknowledged);
        if (acknowledged || group === undefined) return;
        kept.add(group);
        giveBackWaiting((other) => groupOf(other) === group);
      };
      try {
        await options.run(item, { step: undefined, seat, onAnswered, onHandled: () => undefined });
      } finally {
        seat.leave(false);
      }
    });
    await batch.run();
    handling -= 1;
    free(groupsOf(items).filter((group) => !kept.has(group)));
    await Promise.all(ended);
    free([...kept]);
  }

  function groupsOf(items: readonly Item[]): string[] {
    return items.flatMap((item) => groupOf(item) ?? []);
  }

  function free(groups: readonly string[]): void {
    for (const group of groups) busyGroups.delete(group);
    gather();
    options.onRoom();
  }

  function giveBackWaiting(which: (item: Item) => boolean): void {
    const returned = waiting.filter(which);
    waiting = waiting.filter((item) => !which(item));
    giveBack(returned);
  }

  function giveBack(items: readonly Item[]): void {
    here -= items.length;
    if (items.length > 0) options.giveBack(items);
  }

  return {
    add(items: readonly Item[]): void {
      here += items.length;
      waiting.push(...items);
      gather();
    },
    /** Starts what is gathered: nothing more comes for now. */
    startNow(): void {
      gatherer.startNow();
    },
    size: () => here,
    blocked: () => waiting.filter(isBlocked).length,
    /** Returns what has not been started to the queue. What runs goes on. */
    clear(): void {
      isCleared = true;
      gatherer.startNow();
      giveBackWaiting(() => true);
    },
    running: () => [...running],
  };
}
