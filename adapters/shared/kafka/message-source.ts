import type { MessageSource } from '../../../src/index.ts';

type Value = Buffer | string;

/** A message where its group fetched it. */
export interface Consumed {
  readonly topic: string;
  readonly partition: number;
  readonly groupId: string;
  readonly message: {
    readonly offset: string;
    readonly headers: Readonly<Record<string, Value | readonly Value[] | undefined>>;
  };
}

/** Where a message of a topic came from. Of a header that it has more than once, the first counts. */
export function topicSource({ topic, partition, groupId, message }: Consumed): MessageSource {
  const { offset, headers } = message;
  return {
    system: 'kafka',
    destination: topic,
    partition,
    offset,
    consumerGroup: groupId,
    header(name) {
      const value = headers[name];
      return (
        Array.isArray(value) ? (value as readonly Value[])[0] : (value as Value | undefined)
      )?.toString();
    },
  };
}
