import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { errorsIn, type NativeConsumer } from './native.ts';

const FENCED = 'FENCED_INSTANCE_ID';
const HEARTBEAT_FAILED = 'tracing:plt:kafka:consumer:heartbeat:error';

/** Another member has joined with the same `groupInstanceId`. To join again would fence that one. */
export class FencedError extends Error {
  override readonly name = FENCED;

  constructor(cause: unknown) {
    super('another member of the group has joined with the same groupInstanceId', { cause });
  }
}

/** What was refused since another member has its `groupInstanceId`. Undefined for any other error. */
export function fencedBy(error: unknown): FencedError | undefined {
  const isFenced = [...errorsIn(error)].some((one) => 'apiId' in one && one.apiId === FENCED);
  return isFenced ? new FencedError(error) : undefined;
}

/**
 * Calls back when a heartbeat has failed. Where the group refuses one the client joins again at once, and only its
 * channel says why, before that. Returns what ends it.
 */
export function onFailedHeartbeat(consumer: NativeConsumer, callback: (error: unknown) => void): () => void {
  const listener = (message: unknown): void => {
    const { client, error } = message as { client?: unknown; error?: unknown };
    if (client === consumer) callback(error);
  };
  subscribe(HEARTBEAT_FAILED, listener);
  return () => {
    unsubscribe(HEARTBEAT_FAILED, listener);
  };
}
