import { built } from '../built.ts';
import { COMMIT_INTERVAL_MS, type Start, type Work } from './course.ts';
import { installed, startWorker } from './workers.ts';

type Message = Parameters<Work>[0] & { readonly partition: number };

interface Consumer {
  consume(options: object): Promise<AsyncIterable<Message>>;
  close(force: boolean): Promise<void>;
}

interface Package {
  readonly Consumer: new (options: object) => Consumer;
}

export const start: Start = async (course, work) => {
  const { way, brokers, topic, groupId } = course;
  const { Consumer } = installed('@platformatic/kafka') as Package;
  const config = { clientId: 'bench', bootstrapBrokers: brokers, maxWaitTime: 50 };
  if (way !== 'bare') {
    const { createKafkaWorker } = await built.kafkaPlatformatic();
    return await startWorker(course, work, { createKafkaWorker, client: { Consumer }, config });
  }
  const consumer = new Consumer({ ...config, groupId });
  const stream = await consumer.consume({
    ...{ topics: [topic], mode: 'committed', fallbackMode: 'earliest' },
    autocommit: COMMIT_INTERVAL_MS,
  });
  void consumeAll(stream, work);
  return { stop: () => consumer.close(true) };
};

/** As its manual shows it: one message after the other, of all partitions. */
async function consumeAll(stream: AsyncIterable<Message>, work: Work): Promise<void> {
  for await (const message of stream) await work(message);
}
