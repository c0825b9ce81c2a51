export interface CoalesceOptions<Request, Reply> {
  /** Sends many requests with distinct keys, and answers each in order. It must settle: a lane waits for it. */
  readonly send: (requests: readonly Request[]) => Promise<readonly Reply[]>;
  readonly maxBatch: number;
  /**
   * With nothing in the air, twice this many go as two halves, so that this side works on one while the other side
   * works on the other. Default: all go as one, which is right where each batch has a price.
   */
  readonly smallestHalf?: number;
  /** How many must wait for a batch to go while another is in the air. Default: one. */
  readonly smallestBeside?: number;
  /** Whether one request may have failed the whole batch: then each is sent alone. Default: never. */
  readonly isolates?: (error: unknown) => boolean;
}

interface Waiting<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** Two keep the other side busy while replies travel; more would split the same requests over more round trips. */
const MAX_IN_THE_AIR = 2;

/**
 * Makes one-by-one calls share statements, since round trips decide the speed.
 *
 * A request goes at once when nothing is in the air, and gathers with others only while a statement is: no timer, so
 * nobody waits for more than the next reply. A key never stands twice in one batch; the later one waits for the next,
 * and meets the earlier as another worker would.
 */
export function coalesce<Request extends { readonly key: string }, Reply>(
  options: CoalesceOptions<Request, Reply>,
): (request: Request) => Promise<Reply> {
  let waiting: Waiting<Request, Reply>[] = [];
  let inTheAir = 0;
  let scheduled = false;

  function share(): number {
    const splits = inTheAir === 0 && waiting.length >= 2 * (options.smallestHalf ?? Infinity);
    return Math.min(options.maxBatch, splits ? Math.ceil(waiting.length / 2) : waiting.length);
  }

  function mayGo(): boolean {
    if (inTheAir === 0) return waiting.length > 0;
    return inTheAir < MAX_IN_THE_AIR && waiting.length >= (options.smallestBeside ?? 1);
  }

  function takeBatch(): Waiting<Request, Reply>[] {
    const size = share();
    const batch = new Map<string, Waiting<Request, Reply>>();
    const rest: Waiting<Request, Reply>[] = [];
    for (const entry of waiting) {
      const fits = batch.size < size && !batch.has(entry.request.key);
      if (fits) batch.set(entry.request.key, entry);
      else rest.push(entry);
    }
    waiting = rest;
    return [...batch.values()];
  }

  function flush(): void {
    scheduled = false;
    while (mayGo()) {
      const batch = takeBatch();
      inTheAir += 1;
      void deliver(batch, options).finally(() => {
        inTheAir -= 1;
        flush();
      });
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      queueMicrotask(flush);
    });
}

async function deliver<Request, Reply>(
  batch: readonly Waiting<Request, Reply>[],
  options: CoalesceOptions<Request, Reply>,
): Promise<void> {
  try {
    const replies = await options.send(batch.map(({ request }) => request));
    batch.forEach(({ resolve }, index) => {
      resolve(replies[index] as Reply);
    });
  } catch (error) {
    if (batch.length > 1 && options.isolates?.(error) === true) {
      await Promise.all(batch.map((entry) => deliver([entry], options)));
    } else {
      for (const { reject } of batch) reject(error);
    }
  }
}
