import * as z from 'zod/mini';
import { clockOf, parseOptions } from '../../src/adapter-kit.ts';
import { warn, type Warning } from '../shared/warn.ts';
import type { LogAdmin } from './log/log-admin.ts';
import type { TopicPartitions } from './log/log-client.ts';
import { SessionClient } from './client/session-client.ts';
import type { Session, SessionRun } from './client/session.ts';
import { type Connected, createConsumption } from './consumption.ts';
import type { KafkaOnFailed } from './log/dead-letter.ts';
import type { KafkaWarning } from './log/events.ts';
import { InvalidOptionsError } from '../../src/index.ts';
import { runFetch } from './fetch/run-fetch.ts';
import type { KafkaMonitor } from './health.ts';
import type { ConsumptionOptions } from './options/options.ts';

/** A consumer of one group, made by `createKafkaWorker`. */
export interface KafkaWorker extends KafkaMonitor {
  /**
   * Connects, subscribes and joins the group. Resolves when it has connected. It can be called again after `stop`,
   * which it waits for, and does nothing if `stop` is called before it has begun. Throws what the client throws, an
   * `InvalidOptionsError` where librdkafka refuses a setting, and an `Error` where the worker is already running.
   */
  run(): Promise<void>;
  /**
   * Waits for handlers, commits what they settled, leaves the group, and calls `handleOnce.close()`. Resolves when the
   * process may end.
   */
  stop(): Promise<void>;
  /**
   * Stops handling topics, or some of their partitions, until `resume`. Both throw an `InvalidOptionsError` for
   * anything but a list of the worker's topics, and an `Error` if the worker is not running.
   */
  pause(topics: readonly TopicPartitions[]): void;
  /** Ends your own pause. */
  resume(topics: readonly TopicPartitions[]): void;
  /** The partitions of this member that are paused: by you, or while a message of them waits. */
  paused(): readonly { readonly topic: string; readonly partition: number }[];
  /**
   * Reads a partition from an offset, which it commits at once. If the broker refuses the commit (event `client-error`
   * with the verb `commit`), a rebalance can lose the seek: seek again. Throws where the partition is not this
   * member's, and an `InvalidOptionsError` where the offset is not a whole number as a string, up to 2^63 - 1.
   */
  seek(position: { readonly topic: string; readonly partition: number; readonly offset: string }): void;
}

/** What the worker of one client brings. */
export interface WorkerClient<Admin> {
  /** What is wrong with the settings of the client. */
  readonly findings: readonly Warning<KafkaWarning>[];
  readonly adminOf: (admin: Admin) => LogAdmin;
  readonly onFailedOf: (onFailed: KafkaOnFailed) => KafkaOnFailed;
  readonly retryOf: (retry: Retry) => Retry;
  readonly open: (run: SessionRun) => Session;
}

type Retry = NonNullable<ConsumptionOptions['retry']>;

/** Options of a worker, with what they are made of in the shapes of its client. */
export interface WorkerOptions<Admin> extends Omit<ConsumptionOptions, 'admin'> {
  readonly admin?: Admin | undefined;
  readonly topics: readonly string[];
}

/** A worker on a client whose consumer the adapter makes itself. */
export function createWorker<Admin>(
  { admin, onFailed, retry, fromBeginning = false, topics, ...others }: WorkerOptions<Admin>,
  { findings, adminOf, onFailedOf, retryOf, open }: WorkerClient<Admin>,
): KafkaWorker {
  const clock = clockOf(others.handleOnce);
  const consumption = createConsumption(
    {
      ...others,
      fromBeginning,
      admin: admin && adminOf(admin),
      onFailed: onFailedOf(onFailed),
      retry: retry && retryOf(retry),
    },
    (listener, { around, events, pauses }) => {
      function onError(error: unknown): void {
        events.emit({ type: 'client-error', verb: 'fetch', error });
      }
      function onWarning(found: Warning<KafkaWarning>): void {
        warn(found, events);
      }

      return new SessionClient({
        ...{ listener, pauses, around },
        open: (handle) =>
          open({ clock, topics, fromBeginning, listener, pauses, handle, onError, onWarning }),
      });
    },
    findings,
  );
  return workerOf(consumption, topics, () => others.handleOnce.close());
}

/** The worker of a consumer that the adapter makes itself. */
function workerOf(
  consumption: Connected<SessionClient>,
  topics: readonly string[],
  close: () => Promise<void>,
): KafkaWorker {
  const { client, events, health } = consumption;
  function checkTopics(subject: string, given: readonly TopicPartitions[]): void {
    parseOptions(subject, partitionsOf(topics), given);
  }
  return {
    run: () => client.run((fetch) => runFetch(consumption, fetch)),
    async stop() {
      try {
        await client.stop();
      } finally {
        await close();
      }
    },
    pause: (given) => {
      checkTopics('pause', given);
      client.callOfUser('pause', given);
    },
    resume: (given) => {
      checkTopics('resume', given);
      client.callOfUser('resume', given);
    },
    paused: () => client.paused(),
    seek: ({ topic, partition, offset }) => {
      const place = { topic, partition };
      const position = positionOf(offset);
      client.moveByUser(place, position);
      // A rebalance before its first message would forget it.
      client.commit(place, position).catch((error: unknown) => {
        events.emit({ type: 'client-error', verb: 'commit', error });
      });
    },
    counts: events.counts,
    health,
  };
}

/** What a pause or a resume takes. */
function partitionsOf(topics: readonly string[]): z.ZodMiniType {
  const partition = { error: 'must be the number of a partition' };
  const topic = { error: `must be one of the worker's topics: ${topics.join(', ')}` };
  return z.array(
    z.strictObject(
      {
        topic: z.enum(topics, topic),
        partitions: z.optional(
          z.array(z.number(partition).check(z.int(partition), z.minimum(0, partition)), {
            error: 'must be a list of numbers of partitions',
          }),
        ),
      },
      { error: 'must be { topic, partitions }' },
    ),
    { error: "must be a list, such as [{ topic: 'orders' }]" },
  );
}

const LAST_OFFSET = 2n ** 63n - 1n;

function positionOf(offset: unknown): bigint {
  if (typeof offset === 'string' && /^\d+$/.test(offset) && BigInt(offset) <= LAST_OFFSET)
    return BigInt(offset);
  throw new InvalidOptionsError('seek', [
    { field: 'offset', message: "must be a whole number as a string, such as '42', up to 2^63 - 1" },
  ]);
}
