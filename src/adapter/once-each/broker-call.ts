/** Longer than any broker needs for a reply. */
const CALL_TIMEOUT_MS = 15_000;

/** What a call to a broker gives. Rejects when it throws, and when it has no end within 15 seconds. */
export async function brokerCall<T>(call: () => T | PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DOMException(`the broker gave no answer within ${CALL_TIMEOUT_MS} ms`, 'TimeoutError'));
    }, CALL_TIMEOUT_MS);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}
