import { onceEachKafkaMessage } from 'handle-once/kafka';
import * as z from 'zod';
import { fulfil } from '../fulfil.ts';
import { createOnce } from '../once.ts';
import { CONCURRENCY } from './environment.ts';
import { startKafkaWorkerProcess } from './worker-process.ts';

const self = await startKafkaWorkerProcess();
const { consumer, consumerConfig, journal } = self;

await self.wordToBegin();
await consumer.run(
  onceEachKafkaMessage(
    {
      consumer,
      consumerConfig,
      groupId: consumerConfig.groupId,
      fromBeginning: true,
      handleOnce: createOnce(self),
      schema: z.object({ id: z.string(), cents: z.number() }),
      // An order that was written twice is two messages; its id says that they are the same.
      key({ key }) {
        const id = String(key);
        void journal.delivered([id]);
        return id;
      },
      ordering: 'key',
      concurrency: CONCURRENCY,
      onFailed: 'acknowledge',
    },
    ({ payload: order }, attempt) => fulfil(self, order, attempt.childKey('charge')),
  ),
);
