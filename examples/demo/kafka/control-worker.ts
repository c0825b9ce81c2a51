import { freshKey, fulfil } from '../fulfil.ts';
import type { Order } from '../traffic.ts';
import { PARTITIONS } from './environment.ts';
import { startKafkaWorkerProcess } from './worker-process.ts';

const self = await startKafkaWorkerProcess();

await self.wordToBegin();
await self.consumer.run({
  partitionsConsumedConcurrently: PARTITIONS,
  async eachMessage({ message }) {
    const order = JSON.parse(String(message.value)) as Order;
    await self.journal.delivered([order.id]);
    await fulfil(self, order, freshKey());
  },
});
