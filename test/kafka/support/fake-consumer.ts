import type { CrashEvent, GroupJoinEvent, KafkaConsumer } from '../../../adapters/kafka/kafka-client.ts';

type Listener = (event: GroupJoinEvent & CrashEvent) => void;

export interface FakeConsumer extends KafkaConsumer {
  /** Every pause and resume, such as `pause orders/0`. */
  readonly calls: string[];
  /** Whether it has stopped: like the client, it refuses to pause and to resume then. */
  stopped: boolean;
  isPaused(topic: string, partition: number): boolean;
  join(memberAssignment: Record<string, number[]>): void;
  crash(error: Error, restart: boolean): void;
}

/** A consumer that pauses and tells events, as the client's does, and fetches nothing. */
export function fakeConsumer(): FakeConsumer {
  const calls: string[] = [];
  const paused = new Set<string>();
  const listeners = new Map<string, Listener[]>();

  function each(
    verb: string,
    topics: { topic: string; partitions: number[] }[],
    call: (id: string) => void,
  ): void {
    if (consumer.stopped)
      throw new Error('Consumer group was not initialized, consumer#run must be called first');
    for (const { topic, partitions } of topics) {
      for (const partition of partitions) {
        calls.push(`${verb} ${topic}/${partition}`);
        call(`${topic}/${partition}`);
      }
    }
  }

  function tell(event: string, payload: object): void {
    for (const listener of listeners.get(event) ?? []) listener({ payload } as Parameters<Listener>[0]);
  }

  const consumer: FakeConsumer = {
    calls,
    stopped: false,
    on(event: string, listener: Listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    pause(topics) {
      each('pause', topics, (id) => paused.add(id));
    },
    resume(topics) {
      each('resume', topics, (id) => paused.delete(id));
    },
    paused: () =>
      [...paused].map((id) => {
        const [topic = '', partition] = id.split('/');
        return { topic, partitions: [Number(partition)] };
      }),
    isPaused: (topic, partition) => paused.has(`${topic}/${partition}`),
    join(memberAssignment) {
      tell('consumer.group_join', { memberAssignment });
    },
    crash(error, restart) {
      tell('consumer.crash', { error, restart });
    },
  };
  return consumer;
}
