interface Waiting<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends together what is asked in one tick of the event loop. Replies come in the order of the requests. */
export function gatherTick<Request, Reply>(
  send: (requests: Request[]) => Promise<Reply[]>,
): (request: Request) => Promise<Reply> {
  let waiting: Waiting<Request, Reply>[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    void deliver(send, batch);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ request, resolve, reject });
    });
}

async function deliver<Request, Reply>(
  send: (requests: Request[]) => Promise<Reply[]>,
  batch: readonly Waiting<Request, Reply>[],
): Promise<void> {
  try {
    const replies = await send(batch.map(({ request }) => request));
    batch.forEach(({ resolve }, index) => {
      resolve(replies[index] as Reply);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
