import { atEndOfTurn } from './clock.ts';
import type { Gate } from './gate.ts';
import { createKeyQueue } from './key-queue.ts';

/** What a request is answered with: at once, or once something else has ended. */
type Answer<Reply> = Reply | Promise<Reply>;

export interface CoalesceOptions<Request, Reply> {
  /** Sends many requests with distinct keys, and answers each in order. It must settle: a lane waits for it. */
  readonly send: (requests: readonly Request[]) => Promise<readonly Answer<Reply>[]>;
  readonly maxBatch: number;
  /** How many batches are under way at once. Default: two. */
  readonly maxBatches?: number;
  /** What bounds the batches of many coalescers together. Default: nothing. */
  readonly gate?: Pick<Gate, 'enter' | 'leave'>;
  /**
   * With no batch under way, twice this many go as two halves, so that this side works on one while the other side
   * works on the other. Default: all go as one, which is right where each batch has a price.
   */
  readonly smallestHalf?: number;
  /** How many must wait for a batch to go while another is under way. Default: one. */
  readonly smallestBeside?: number;
  /** Whether one request may have failed the whole batch: then each is sent alone. Default: never. */
  readonly isolates?: (error: unknown) => boolean;
  /** Called before requests go: another coalescer may take them along. Default: none does. */
  readonly beforeFlush?: () => void;
}

/** Sends a request with others, and answers it. */
export interface Coalescer<Request, Reply> {
  (request: Request): Promise<Reply>;
  /** Lets go what may go now. */
  readonly flush: () => void;
  /**
   * A batch to be sent with something else, past the gate, where so many requests wait and another batch may go. Else
   * undefined.
   */
  readonly takeAlong: (atLeast: number) => Batch<Request, Reply> | undefined;
}

/** Requests that are under way until they are answered. */
export interface Batch<Request, Reply> {
  readonly requests: readonly Request[];
  /** Each in order, once. */
  readonly answer: (replies: Promise<readonly Answer<Reply>[]>) => void;
}

interface Waiting<Request, Reply> {
  readonly key: string;
  readonly request: Request;
  next?: this | undefined;
  readonly resolve: (answer: Answer<Reply>) => void;
  readonly reject: (error: unknown) => void;
}

/** Two keep the other side busy while replies travel; more would split the same requests over more round trips. */
const MAX_BATCHES = 2;

/** Room for everything. */
const OPEN: Pick<Gate, 'enter' | 'leave'> = {
  enter(start) {
    start();
  },
  leave: () => undefined,
};

/**
 * Makes one-by-one calls share statements, since round trips decide the speed.
 *
 * A request goes at the end of its turn when no batch is under way, with all that were made in that turn, and gathers
 * with others only while one is: no timer, so that no request waits for more than the next reply. A key never stands
 * twice in one batch; the later one waits for the next, and meets the earlier as another worker would.
 */
export function coalesce<Request extends { readonly key: string }, Reply>(
  options: CoalesceOptions<Request, Reply>,
): Coalescer<Request, Reply> {
  const { maxBatch, maxBatches = MAX_BATCHES, gate = OPEN } = options;
  const waiting = createKeyQueue<Waiting<Request, Reply>>();
  /** Batches that are under way, or wait at the gate for their requests. */
  let batches = 0;
  let isScheduled = false;

  function share(): number {
    const splits = batches === 1 && waiting.size() >= 2 * (options.smallestHalf ?? Infinity);
    return Math.min(maxBatch, splits ? Math.ceil(waiting.size() / 2) : waiting.size());
  }

  function mayGo(): boolean {
    if (batches === 0) return waiting.size() > 0;
    return batches < maxBatches && waiting.size() >= (options.smallestBeside ?? 1);
  }

  /** Not in a microtask: what replies have set off is to be asked for too before a batch goes. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    atEndOfTurn(flush);
  }

  function flush(): void {
    isScheduled = false;
    options.beforeFlush?.();
    if (!mayGo()) return;
    batches += 1;
    // At a closed gate requests gather: what a batch takes is decided when it goes.
    gate.enter(send);
  }

  function send(): void {
    void deliver(waiting.take(share())).finally(() => {
      batches -= 1;
      gate.leave();
      schedule();
    });
    flush();
  }

  async function deliver(batch: readonly Waiting<Request, Reply>[]): Promise<void> {
    if (batch.length === 0) return;
    await answer(batch, () => options.send(batch.map(({ request }) => request)));
  }

  async function answer(
    batch: readonly Waiting<Request, Reply>[],
    send: () => Promise<readonly Answer<Reply>[]>,
  ): Promise<void> {
    try {
      const replies = await send();
      batch.forEach(({ resolve }, index) => {
        resolve(replies[index] as Answer<Reply>);
      });
    } catch (error) {
      if (batch.length > 1 && options.isolates?.(error) === true) batch.forEach(sendAlone);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Each has to pass the gate: hundreds at once would keep all others waiting in the client. */
  function sendAlone(entry: Waiting<Request, Reply>): void {
    gate.enter(() => {
      void deliver([entry]).finally(() => {
        gate.leave();
      });
    });
  }

  function takeAlong(atLeast: number): Batch<Request, Reply> | undefined {
    if (waiting.size() < atLeast || !mayGo()) return undefined;
    batches += 1;
    const batch = waiting.take(share());
    return {
      requests: batch.map(({ request }) => request),
      answer(replies) {
        void answer(batch, () => replies).finally(() => {
          batches -= 1;
          schedule();
        });
      },
    };
  }

  function ask(request: Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      waiting.add({ key: request.key, request, resolve, reject, next: undefined });
      schedule();
    });
  }

  return Object.assign(ask, { flush, takeAlong });
}
