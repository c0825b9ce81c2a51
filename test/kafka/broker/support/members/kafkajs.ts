import { onceEachKafkaMessage } from 'handle-once/kafka';
import type { Consumer } from 'kafkajs';
import { type Member, type StartMember, TIMEOUTS } from './member.ts';

export const startKafkaJsMember: StartMember = ({ kafka, topic, groupId, handleOnce, events, ...plan }) => {
  const { config, fromBeginning = true, otherTopics = [], ...options } = plan.options;
  const consumer = kafka.consumer({ groupId, ...TIMEOUTS, ...config });
  const watched = watch(consumer, topic);
  const run = onceEachKafkaMessage(
    {
      consumer,
      groupId,
      handleOnce,
      onFailed: 'acknowledge',
      fromBeginning,
      drainMs: 500,
      onEvent: (event) => {
        events.push(event);
      },
      ...options,
    },
    plan.handler,
  );
  const restart = async (): Promise<void> => {
    await kafka.reconnectable(consumer);
    await consumer.connect();
    await consumer.subscribe({ topics: [topic, ...otherTopics], fromBeginning });
    await consumer.run(run);
  };
  const member = { consumer, counts: () => run.counts(), health: () => run.health(), restart, ...watched };
  return { member, seen: watched };
};

type Watched = Omit<Member, 'consumer' | 'counts' | 'health' | 'restart'>;

function watch(
  consumer: Consumer,
  topic: string,
): Watched & { readonly requests: readonly string[]; readonly routine: readonly string[] } {
  const joins: Record<string, number[]>[] = [];
  const commits: { partition: number; offset: number; afterJoins: number }[] = [];
  const crashes: { error: Error; restart: boolean }[] = [];
  let heartbeats = 0;
  let answered = 0;
  /** The last requests, with their times: for what is printed of a failed test. */
  const requests: string[] = [];
  const routine: string[] = [];
  const note = (apiName: string, line: string): void => {
    const lines = apiName === 'Fetch' || apiName === 'Heartbeat' ? routine : requests;
    lines.push(`${Math.round(performance.now())} ${apiName} ${line}`);
    lines.splice(0, lines.length - 40);
  };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joins.push(payload.memberAssignment);
  });
  consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
    for (const { partition, offset } of payload.topics.find((of) => of.topic === topic)?.partitions ?? []) {
      // The client tells partitions as strings here, whatever its types say.
      commits.push({
        partition: Number(String(partition)),
        offset: Number(offset),
        afterJoins: joins.length,
      });
    }
  });
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    crashes.push({ error, restart });
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    heartbeats += 1;
  });
  consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload: { apiName } }) => {
    note(apiName, 'had no answer');
  });
  consumer.on(consumer.events.REQUEST, ({ payload: { apiName, duration } }) => {
    note(apiName, `took ${duration} ms`);
    if (apiName === 'Heartbeat') answered += 1;
  });
  return {
    joins,
    commits,
    crashes,
    heartbeats: () => heartbeats,
    refusedHeartbeats: () => answered - heartbeats,
    requests,
    routine,
  };
}
