import type { CrashPoint } from '../../../test/crash/sqs/settings.ts';

/** Who consumes: this package, or what a tutorial shows in its place. */
export type Consumer = 'handle-once' | 'in-transaction' | 'select-first' | 'insert-first';

/** What a worker process is told to do. */
export interface WorkerSettings {
  readonly worker: number;
  /** With it the worker's random decisions repeat. */
  readonly seed: number;
  readonly consumer: Consumer;
  readonly endpoint: string;
  readonly queueUrl: string;
  /** Of the records. Faults are in its way. */
  readonly databaseUrl: string;
  /** Of the effects. No fault touches it. */
  readonly effectsUrl: string;
  readonly scope: string;
  readonly leaseMs: number;
  readonly visibilityTimeoutSeconds: number;
  /** The share of messages whose handlers fail before their effect. */
  readonly failing: number;
  /** How long handlers take. */
  readonly handlerMs: readonly [least: number, most: number];
  /** False behind a pooler. */
  readonly prepare: boolean;
  /** Handlers get so many messages at once. */
  readonly batch?: { readonly size: number; readonly waitMs: number };
  /** Where the worker freezes for good, at the so-many-th message that comes there. */
  readonly standsAt?: { readonly point: CrashPoint; readonly message: number };
}

export type Ending =
  | 'succeeded'
  | 'replayed'
  | 'failed'
  | 'released'
  | 'interrupted'
  | 'lease-lost'
  | 'unrecorded'
  /** A transaction was rolled back, and the message ran again within its attempt. */
  | 'undone'
  /** Of a consumer without the package: it threw. */
  | 'threw';

interface Timed {
  /** By `now`. */
  readonly at: number;
}

/** What a worker process reports, before it does anything else. */
export type WorkerReport = Timed &
  (
    | {
        readonly type: 'began';
        readonly run: string;
        readonly message: number;
        /** How many messages its handler has got. */
        readonly together: number;
        readonly wallClock: number;
      }
    | {
        readonly type: 'ended';
        readonly message: number;
        /** Undefined where no handler ran. */
        readonly run: string | undefined;
        readonly ending: Ending;
      }
    /** A statement failed, or got no answer in time. */
    | { readonly type: 'store-error' }
    /** Its event loop was blocked. */
    | { readonly type: 'stood-still'; readonly from: number }
    | { readonly type: 'reached'; readonly point: CrashPoint }
  );
