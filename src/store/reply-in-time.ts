import { StoreError } from '../errors.ts';

/** A reply, or a retriable `StoreError` when there is none in time: a connection can hang without an error. */
export async function replyInTime<T>(reply: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StoreError(`the store gave no reply within ${timeoutMs} ms`, { retriable: true }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([reply, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
