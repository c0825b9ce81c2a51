import type { Admin, Kafka } from 'kafkajs';
import type postgres from 'postgres';
import type { ChaosSettings } from '../../../test/kafka/broker/support/chaos-settings.ts';
import type { CommitWatch } from '../../../test/kafka/broker/support/commit-watch.ts';
import type { Fleet } from '../../../test/kafka/broker/support/fleet.ts';
import type { Offsets } from '../../../test/support/kafka-offsets.ts';

type Behaviour =
  | 'ordering'
  | 'fromBeginning'
  | 'sessionTimeoutMs'
  | 'leaseMs'
  | 'failing'
  | 'handlerMs'
  | 'batchSize';

export interface StormOptions extends Pick<ChaosSettings, Behaviour> {
  readonly name: string;
  readonly brokers: readonly string[];
  readonly partitions: number;
  readonly keys: number;
  /** Messages. */
  readonly perSecond: number;
  /** While brokers are away a consumer of kafkajs crashes, and starts again by itself. */
  readonly mayCrash: boolean;
}

/** A group of consumers in processes of their own, under load. */
export interface Storm {
  readonly options: StormOptions;
  readonly random: () => number;
  readonly fleet: Fleet;
  readonly commits: CommitWatch;
  readonly sql: postgres.Sql;
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly topic: string;
  readonly groupId: string;
  /** Of the group's records. */
  readonly scope: string;
  readonly committed: () => Promise<Offsets>;
  /** Tells what happens. */
  readonly log: (what: string) => void;
  startLoad(): Promise<void>;
  /** Waits until so many more messages have had their effect. */
  progress(count: number): Promise<void>;
}
