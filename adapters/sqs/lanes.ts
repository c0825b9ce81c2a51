import type { Seat } from '../../src/adapter-kit.ts';
import { LaneStep } from '../shared/lanes.ts';

/** What a running message has of its lanes. */
export interface RunningItem {
  /** Of a message of a FIFO group: it goes on when `onEnded` is called. */
  readonly step: LaneStep | undefined;
  /** Of a message of a batch. */
  readonly seat?: Seat;
  /** To be called with whether it is acknowledged, as soon as that is known. Of a message of a batch. */
  readonly onAnswered?: (acknowledged: boolean) => void;
  /** To be called when its handler needs its slot no more. */
  readonly onHandled: () => void;
}

export interface LanesOptions<Item> {
  readonly concurrency: number;
  /** The FIFO group of one; undefined where no order is to be kept. */
  readonly groupOf: (item: Item) => string | undefined;
  /** Runs one to its end at the queue. It must not throw, and has to end its step. */
  readonly run: (item: Item, running: RunningItem) => Promise<void>;
  /** Returns what has not been started to the queue. */
  readonly giveBack: (items: readonly Item[]) => void;
  /** Called when one has ended. */
  readonly onRoom: () => void;
}

/** A FIFO group with a running message. */
interface Group {
  /** The step of its next message. */
  next: LaneStep;
  /** Whether the next of it may be claimed. */
  isFree: boolean;
  running: number;
}

/**
 * Starts messages in order, at most `concurrency` handlers at once, and those of one FIFO group one after the other.
 *
 * A handler's slot is free when it has ended, and its transaction if it has one: the next message is claimed while the
 * one before is put on record and deleted, so that a worker with one handler waits once a message for the store, and
 * not at all for the queue. In a FIFO group the handler of that next one starts when the one before is acknowledged. It
 * does not wait for the delete: where that fails, the message comes again and is answered from its record.
 */
export function createLanes<Item>(options: LanesOptions<Item>) {
  let waiting: Item[] = [];
  const running = new Set<Promise<void>>();
  let handling = 0;
  const groups = new Map<string, Group>();

  function startWhatCan(): void {
    const rest: Item[] = [];
    for (const item of waiting) {
      if (isBlocked(item) || handling >= options.concurrency) rest.push(item);
      else start(item);
    }
    waiting = rest;
  }

  function isBlocked(item: Item): boolean {
    const name = options.groupOf(item);
    return name !== undefined && groups.get(name)?.isFree === false;
  }

  function start(item: Item): void {
    handling += 1;
    let handled = false;
    const onHandled = (): void => {
      if (handled) return;
      handled = true;
      handling -= 1;
      startWhatCan();
    };
    const name = options.groupOf(item);
    const ended =
      name === undefined
        ? options.run(item, { step: undefined, onHandled })
        : runInGroup(name, item, onHandled);
    const run = ended.then(() => {
      running.delete(run);
      onHandled();
      startWhatCan();
      options.onRoom();
    });
    running.add(run);
  }

  async function runInGroup(name: string, item: Item, onHandled: () => void): Promise<void> {
    const group = groups.get(name) ?? { next: LaneStep.first(), isFree: true, running: 0 };
    groups.set(name, group);
    const step = group.next;
    group.next = step.next();
    group.isFree = false;
    group.running += 1;
    void step.mayClaimNext.then((may) => {
      if (!may) return;
      group.isFree = true;
      startWhatCan();
    });
    const followed = group.next.mayRun.then((goesOn) => {
      if (!goesOn) returnBlocked(name, group);
    });
    await options.run(item, { step, onHandled });
    await followed;
    group.running -= 1;
    if (group.running === 0) groups.delete(name);
  }

  /** When one of a group stays in the queue, those behind it must not run ahead. */
  function returnBlocked(name: string, group: Group): void {
    group.isFree = false;
    giveBack((item) => options.groupOf(item) === name);
  }

  function giveBack(which: (item: Item) => boolean): void {
    const returned = waiting.filter(which);
    waiting = waiting.filter((item) => !which(item));
    if (returned.length > 0) options.giveBack(returned);
  }

  return {
    add(items: readonly Item[]): void {
      waiting.push(...items);
      startWhatCan();
    },
    /** How many are here, waiting or running. */
    size: () => waiting.length + running.size,
    /** How many of them wait behind one of their own FIFO group. */
    blocked: () => waiting.filter(isBlocked).length,
    /** Returns what waits to the queue. What runs goes on. */
    clear: () => {
      giveBack(() => true);
    },
    running: () => [...running],
  };
}
