import { BatchGroup, type Member } from './batch-group.ts';
import { Gate } from './gate.ts';
import { KeyQueue } from './key-queue.ts';

export interface CoalesceOptions<Request, Reply> {
  /** Sends many requests with distinct keys, and answers each in order. It must settle: a lane waits for it. */
  readonly send: (requests: readonly Request[]) => Promise<readonly Reply[]>;
  readonly maxBatch: number;
  /** How many batches are under way at once. Default: two. */
  readonly maxBatches?: number;
  /** What bounds the batches of many coalescers together. Default: nothing. */
  readonly gate?: Pick<Gate, 'enter' | 'leave'>;
  /**
   * With no batch under way, twice this many go as two halves, so that client and server work at the same time.
   * Default: all go as one, which is right where each batch has a price.
   */
  readonly smallestHalf?: number;
  /** How many must wait for a batch to go while another is under way. Default: one. */
  readonly smallestBeside?: number;
  /** Whether one request may have failed the whole batch: then each is sent alone. Default: never. */
  readonly isolates?: (error: unknown) => boolean;
  /** Coalescers with requests that set each other off. Default: none. */
  readonly group?: BatchGroup;
  /**
   * Called where a batch could go and the group is full: true lets it wait until the group has room. Default: never.
   */
  readonly letsOthersFirst?: () => boolean;
  /** What bounds the requests that are sent alone. Default: `gate`. */
  readonly aloneGate?: Pick<Gate, 'enter' | 'leave'>;
}

/** `alone`: in a separate batch, at once. */
export type Send<Request, Reply> = (request: Request, how?: 'alone') => Promise<Reply>;

interface Waiting<Request, Reply> {
  readonly key: string;
  readonly request: Request;
  next?: this | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** Two keep the other side busy while replies travel; more would split the same requests over more round trips. */
const MAX_BATCHES = 2;

/**
 * Makes one-by-one calls share statements, since round trips decide the speed.
 *
 * When no batch is under way, a request goes at the end of its turn, with all others of that turn. While one is under
 * way, requests gather: there is no timer, so that no request waits for more than the next reply. A key is never twice
 * in one batch: the later request waits for the next batch, and meets the earlier one as another worker would.
 */
export function coalesce<Request extends { readonly key: string }, Reply>(
  options: CoalesceOptions<Request, Reply>,
): Send<Request, Reply> {
  const { maxBatch, maxBatches = MAX_BATCHES, gate = new Gate(Infinity), group = new BatchGroup() } = options;
  const { aloneGate = gate } = options;
  const waiting = new KeyQueue<Waiting<Request, Reply>>();
  const member: Member = { isWaiting: () => waiting.size > 0, flush };
  group.join(member);
  /** Batches that are under way, or wait at the gate for their requests. */
  let batches = 0;
  let isYielding = false;

  function batchSize(): number {
    const splits =
      batches === 1 && group.isFree(member) && waiting.size >= 2 * (options.smallestHalf ?? Infinity);
    return Math.min(maxBatch, splits ? Math.ceil(waiting.size / 2) : waiting.size);
  }

  function mayGo(): boolean {
    const smallest = batches === 0 ? 1 : (options.smallestBeside ?? 1);
    if (batches >= maxBatches || waiting.size < smallest) return false;
    isYielding = group.isFull() && (isYielding || options.letsOthersFirst?.() === true);
    return !isYielding;
  }

  function flush(): void {
    if (!mayGo()) return;
    batches += 1;
    // At a closed gate requests gather: what a batch takes is decided when it goes.
    gate.enter(send);
  }

  function send(): void {
    const batch = waiting.take(batchSize());
    group.sent();
    void deliver(batch).finally(() => {
      batches -= 1;
      group.answered();
      gate.leave();
      group.schedule();
    });
    flush();
  }

  async function deliver(batch: readonly Waiting<Request, Reply>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const replies = await options.send(batch.map(({ request }) => request));
      batch.forEach(({ resolve }, index) => {
        resolve(replies[index] as Reply);
      });
    } catch (error) {
      if (batch.length > 1 && options.isolates?.(error) === true) batch.forEach(sendAlone);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Each has to pass the gate: hundreds at once would block all others in the client. */
  function sendAlone(entry: Waiting<Request, Reply>): void {
    aloneGate.enter(() => {
      void deliver([entry]).finally(() => {
        aloneGate.leave();
      });
    });
  }

  return (request, how) =>
    new Promise((resolve, reject) => {
      const entry: Waiting<Request, Reply> = { key: request.key, request, resolve, reject, next: undefined };
      if (how === 'alone') {
        sendAlone(entry);
        return;
      }
      waiting.add(entry);
      group.schedule();
    });
}
