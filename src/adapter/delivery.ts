import type { MessageSource } from '../words/around.ts';
import type { Handler } from '../words/handler.ts';
import type { Emitted } from '../reporting/event-sink.ts';
import type { FingerprintOptions } from '../options/fingerprint-options.ts';
import type { OnFailed } from './decide.ts';
import type { Seat } from '../engine/batch/seat.ts';
import type { HandlingEvent } from './delivery-event.ts';

/** A message as its broker delivered it. */
export interface Delivery<R> {
  /**
   * Finds the message's key. Without one, or when it throws, the message is refused. An `InvalidOptionsError` keeps it.
   */
  readonly key: () => string | undefined;
  /** Gives what has to be the same each time that the key comes. */
  readonly content: () => unknown;
  readonly fingerprint: FingerprintOptions<never, [message: never]>;
  /** What the function `fingerprint` gets besides the content. */
  readonly message: unknown;
  /** Turns the message into what the schema, or else the handler, gets. Called only once it is claimed. */
  readonly parse: () => unknown;
  readonly handler: Handler<unknown, unknown[], R>;
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number | undefined;
  /** Called once the message is claimed. After false nothing runs, and the claim is released, uncounted. */
  readonly mayStart?: (() => Promise<boolean>) | undefined;
  /** Where the message came from. Called only where the settings have a hook. */
  readonly source?: (() => MessageSource) | undefined;
  /** Its place in a batch, whose handler it has then. */
  readonly seat?: Seat | undefined;
  readonly onFailed: OnFailed;
  readonly emit: (event: Emitted<HandlingEvent>) => void;
}
