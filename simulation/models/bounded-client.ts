import type { SqsClient } from '../../adapters/sqs/index.ts';
import type { Clock } from '../../src/lib/clock.ts';

const TIMEOUT_MS = 10_000;

interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

/** The client of a user who has set a request timeout: no call is waited for without end, or after an abort. */
export function boundedClient(client: SqsClient, clock: Clock): SqsClient {
  async function send(command: { readonly input: object }, options: CallOptions = {}): Promise<object> {
    const { WaitTimeSeconds = 0 } = command.input as { readonly WaitTimeSeconds?: number };
    const timeout = new AbortController();
    const timer = clock.setTimer(() => {
      timeout.abort(new DOMException('the request has timed out', 'TimeoutError'));
    }, TIMEOUT_MS + WaitTimeSeconds * 1_000);
    const { abortSignal = timeout.signal } = options;
    try {
      return await Promise.race([
        client.send(command as never, { abortSignal } as never) as Promise<object>,
        rejection(timeout.signal),
        rejection(abortSignal),
      ]);
    } finally {
      clock.clearTimer(timer);
    }
  }
  return { send: send as SqsClient['send'] };
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
