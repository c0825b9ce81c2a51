import type { KafkaKeptReason } from '../../../../adapters/kafka/log/events.ts';
import type { Ordering } from '../../../../adapters/kafka/options/ordering.ts';

/** What a worker process is told to do. */
export interface ChaosSettings {
  readonly worker: number;
  /** With it the worker's random decisions repeat. */
  readonly seed: number;
  readonly brokers: readonly string[];
  readonly databaseUrl: string;
  readonly topic: string;
  readonly groupId: string;
  /** Of `createHandleOnce`. */
  readonly scope: string;
  readonly ordering: Ordering;
  /** With false the worker has an admin client, which commits where idle partitions begin. */
  readonly fromBeginning: boolean;
  readonly sessionTimeoutMs: number;
  readonly leaseMs: number;
  /** The share of messages whose handlers fail and can be retried. */
  readonly failing: number;
  /** How long handlers take. */
  readonly handlerMs: readonly [least: number, most: number];
  /** Handlers get up to so many messages at once, in a transaction. */
  readonly batchSize?: number;
}

/** What a worker process reports while it runs. */
export type WorkerReport =
  | { readonly type: 'joined'; readonly partitions: readonly number[]; readonly isLeader: boolean }
  | { readonly type: 'committed'; readonly partition: number; readonly offset: number }
  | { readonly type: 'crashed'; readonly error: string; readonly restart: boolean }
  | { readonly type: 'acknowledged' | 'replayed'; readonly partition: number; readonly offset: number }
  | {
      readonly type: 'kept';
      readonly partition: number;
      readonly offset: number;
      readonly reason: KafkaKeptReason;
    };

/** How long a worker waits for handlers when it leaves. */
export const DRAIN_MS = 100;
