/** Whether a message is done with: a FIFO group may go on only then. */
export type Ran = 'done' | 'kept';

export interface LanesOptions<Item> {
  readonly concurrency: number;
  /** The FIFO group of one; undefined where no order is to be kept. */
  readonly groupOf: (item: Item) => string | undefined;
  /** Runs one, and tells when its handler needs its place no more. It must not throw. */
  readonly run: (item: Item, onHandled: () => void) => Promise<Ran>;
  /** Returns what has not been started to the queue. */
  readonly giveBack: (items: readonly Item[]) => void;
  /** Called when one has ended. */
  readonly onRoom: () => void;
}

/**
 * Starts messages in order, at most `concurrency` handlers at once, and those of one FIFO group one after the other.
 *
 * A handler's place is free when it has ended, and its transaction if it has one: the next message is claimed while the
 * one before is put on record and deleted, so that a worker with one handler waits once a message for the store, and
 * not at all for the queue.
 */
export interface Lanes<Item> {
  add(items: readonly Item[]): void;
  /** How many are here, waiting or running. */
  readonly size: () => number;
  /** How many of them wait behind one of their own FIFO group. */
  readonly blocked: () => number;
  /** Returns what waits to the queue. What runs goes on. */
  clear(): void;
  running(): readonly Promise<void>[];
}

export function createLanes<Item>(options: LanesOptions<Item>): Lanes<Item> {
  let waiting: Item[] = [];
  const running = new Set<Promise<void>>();
  let handling = 0;
  const busyGroups = new Set<string>();

  function startWhatCan(): void {
    const rest: Item[] = [];
    for (const item of waiting) {
      const group = options.groupOf(item);
      if (isBlocked(item) || handling >= options.concurrency) rest.push(item);
      else start(item, group);
    }
    waiting = rest;
  }

  function isBlocked(item: Item): boolean {
    const group = options.groupOf(item);
    return group !== undefined && busyGroups.has(group);
  }

  function start(item: Item, group: string | undefined): void {
    if (group !== undefined) busyGroups.add(group);
    handling += 1;
    let handled = false;
    const onHandled = (): void => {
      if (handled) return;
      handled = true;
      handling -= 1;
      startWhatCan();
    };
    const run = options.run(item, onHandled).then((ran) => {
      running.delete(run);
      if (group !== undefined) leaveGroup(group, ran);
      onHandled();
      startWhatCan();
      options.onRoom();
    });
    running.add(run);
  }

  /** When one of a group stays in the queue, those behind it must not run ahead of it. */
  function leaveGroup(group: string, ran: Ran): void {
    busyGroups.delete(group);
    if (ran === 'kept') giveBack((item) => options.groupOf(item) === group);
  }

  function giveBack(which: (item: Item) => boolean): void {
    const returned = waiting.filter(which);
    waiting = waiting.filter((item) => !which(item));
    if (returned.length > 0) options.giveBack(returned);
  }

  return {
    add(items) {
      waiting.push(...items);
      startWhatCan();
    },
    size: () => waiting.length + running.size,
    blocked: () => waiting.filter(isBlocked).length,
    clear: () => {
      giveBack(() => true);
    },
    running: () => [...running],
  };
}
