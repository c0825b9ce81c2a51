import { CALL_TIMEOUT_MS, type CallOptions, inTime } from '../../../adapters/shared/sqs/in-time.ts';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import type { Clock } from '../../../src/lib/clock.ts';

interface AnyClient {
  send(command: object, options: CallOptions): Promise<object>;
}

/** The client of a user who has set a request timeout: no call is waited for without end, or after an abort. */
export function boundedClient(client: SqsClient, clock: Clock): SqsClient {
  function send(command: { readonly input: object }, given: Partial<CallOptions> = {}): Promise<object> {
    const { WaitTimeSeconds = 0 } = command.input as { readonly WaitTimeSeconds?: number };
    const call = (options: CallOptions) => (client as AnyClient).send(command, options);
    return inTime(clock, call, CALL_TIMEOUT_MS + WaitTimeSeconds * 1_000, given.abortSignal);
  }
  return { send: send as SqsClient['send'] };
}
