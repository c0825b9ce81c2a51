import type { KafkaWorker } from 'handle-once/kafka-confluent';
import { onTestFinished } from 'vitest';
import { until } from '../../../../support/until.ts';
import type { Member, MemberPlan } from './member.ts';

/** What is noted of a worker's consumers. */
export type Seen = Omit<Member, 'consumer' | 'counts' | 'health' | 'restart'>;

/** A worker as tests call a member. It stops when the test ends. */
export function memberOf(worker: KafkaWorker, seen: Seen): Member {
  onTestFinished(() => worker.stop());
  return {
    consumer: {
      pause(topics) {
        worker.pause(topics);
      },
      resume(topics) {
        worker.resume(topics);
      },
      paused: () => worker.paused().map(({ topic, partition }) => ({ topic, partitions: [partition] })),
      seek(position) {
        worker.seek(position);
      },
      stop: () => worker.stop(),
      disconnect: () => worker.stop(),
    },
    counts: () => worker.counts(),
    health: () => worker.health(),
    async restart() {
      const before = seen.joins.length;
      await worker.run();
      // As a consumer of kafkajs, whose run ends with the join.
      await until(() => seen.joins.length > before);
    },
    ...seen,
  };
}

interface Given {
  readonly onFailed: MemberPlan['options']['onFailed'] | undefined;
  readonly retry: MemberPlan['options']['retry'] | undefined;
}

/** The same options, with other producers. */
export function withProducers(
  { onFailed = 'acknowledge', retry }: Given,
  instead: (producer: object) => object,
): { onFailed: never; retry: never } {
  const letters =
    onFailed === 'acknowledge' ? onFailed : { ...onFailed, producer: instead(onFailed.producer) };
  return {
    onFailed: letters as never,
    retry: (retry && { ...retry, producer: instead(retry.producer) }) as never,
  };
}

/** Whether a producer or an admin client is one of kafkajs, and none that a test has made. */
export function isOfKafkaJs(client: object): boolean {
  return 'events' in client;
}
