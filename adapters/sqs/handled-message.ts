import type { Outcome } from '../../src/index.ts';
import type { SqsKeptReason } from './events.ts';

/** What was done with a message, and why. */
export interface HandledMessage<R> {
  /** The message is deleted, or copied to the dead-letter queue and then deleted, or still in the queue. */
  readonly action: 'acknowledged' | 'dead-lettered' | 'kept';
  /** Why it is kept. */
  readonly reason?: SqsKeptReason;
  /** When a message that was kept shows again, in seconds; undefined when it was not touched. */
  readonly visibleAfterSeconds?: number;
  /** What `handleOnce` returned; undefined when it threw. */
  readonly outcome?: Outcome<R>;
  /** What `handleOnce` or the queue threw. */
  readonly error?: unknown;
}
