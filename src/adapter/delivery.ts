import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Handler } from '../api/attempt.ts';
import type { Handle } from '../engine/handle.ts';
import type { Emitted } from '../reporting/event-sink.ts';
import type { FingerprintOptions } from '../options/fingerprint-options.ts';
import type { HandleOnceSettings } from '../options/options.ts';
import type { OnFailed } from './decide.ts';
import type { HandlingEvent } from './delivery-event.ts';

/** What all deliveries of a consumer share. */
export interface Consumer {
  readonly handle: Handle<unknown[]>;
  /** Of the scope that has its records. */
  readonly settings: Pick<HandleOnceSettings, 'scope' | 'schema'>;
  /** In place of that of the settings. */
  readonly schema?: StandardSchemaV1 | undefined;
}

/** A message as its broker delivered it. */
export interface Delivery<R> {
  /** Finds the message's key. Without one, or when it throws, the message is refused. */
  readonly key: () => string | undefined;
  /** Gives what has to be the same each time that the key comes. */
  readonly content: () => unknown;
  readonly fingerprint: FingerprintOptions<never>;
  /** Turns the message into what the schema, or else the handler, gets. Called only once it is claimed. */
  readonly parse: () => unknown;
  readonly handler: Handler<unknown, R, unknown[]>;
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number | undefined;
  /** Asked once the message is claimed. After false nothing runs, and the claim is released, uncounted. */
  readonly mayStart?: (() => Promise<boolean>) | undefined;
  readonly onFailed: OnFailed;
  readonly emit: (event: Emitted<HandlingEvent>) => void;
}
