import type {
  KafkaEvent,
  KafkaHandler,
  OnceEachKafkaMessage,
  OnceEachKafkaMessageOptions,
} from 'handle-once/kafka';
import type { HandleOnce } from 'handle-once';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Consumer, ConsumerConfig } from 'kafkajs';
import type { TestKafka } from '../../../../support/kafka.ts';

/** Short enough to wait for what a group decides, long enough for a machine that is busy for a moment. */
export const TIMEOUTS = { sessionTimeout: 6_000, heartbeatInterval: 300, maxWaitTimeInMs: 100 };

/** Of `kafka.consumer` of kafkajs, and what it does not have. */
export type MemberConfig = Partial<ConsumerConfig> & { readonly groupInstanceId?: string };

export type MemberOptions<Schema extends StandardSchemaV1 | undefined, Parsed> = Partial<
  OnceEachKafkaMessageOptions<Schema, Parsed>
> & {
  readonly config?: MemberConfig;
  /** That of KAFKA_CLIENT by default. */
  readonly client?: string;
  /** Topics that it subscribes to beside its own. */
  readonly otherTopics?: readonly string[];
};

/** A consumer that runs. */
export interface Member {
  readonly consumer: MemberConsumer;
  readonly counts: OnceEachKafkaMessage['counts'];
  readonly health: OnceEachKafkaMessage['health'];
  /** What it was assigned each time that it joined. */
  readonly joins: Readonly<Record<string, number[]>>[];
  /** Every offset that it committed, in the order of the commits. */
  readonly commits: { readonly partition: number; readonly offset: number; readonly afterJoins: number }[];
  /** Why it crashed, each time that it did. */
  readonly crashes: { readonly error: Error; readonly restart: boolean }[];
  heartbeats(): number;
  /** Heartbeats that were answered with an error, such as that the group rebalances. */
  refusedHeartbeats(): number;
  /** The same consumer, after it has disconnected. */
  restart(): Promise<void>;
}

/** What tests call a consumer for, whatever its client. */
export type MemberConsumer = Pick<Consumer, 'pause' | 'resume' | 'paused' | 'seek' | 'stop' | 'disconnect'>;

/** Any options and any handler. */
export interface MemberPlan {
  /** That of KAFKA_CLIENT by default. */
  readonly client?: string | undefined;
  readonly kafka: TestKafka;
  readonly topic: string;
  readonly groupId: string;
  readonly handleOnce: HandleOnce;
  readonly events: KafkaEvent[];
  readonly options: Omit<MemberOptions<undefined, Buffer | null>, 'client'>;
  readonly handler: KafkaHandler<Buffer | null>;
}

/** Starts a member with one client. */
export type StartMember = (plan: MemberPlan) => { readonly member: Member; readonly seen: object };
