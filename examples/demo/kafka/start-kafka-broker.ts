import type { Admin, Producer } from 'kafkajs';
import type { Channel, RunningBroker } from '../broker.ts';
import { say } from '../say.ts';
import { createClient } from './client.ts';
import { createTopic } from './create-topic.ts';
import type { KafkaEnvironment } from './environment.ts';
import { forget } from './forget.ts';
import { startService } from './service.ts';
import { uncommitted } from './uncommitted.ts';

/** Each trial has a topic and a group of its own. */
export async function startKafkaBroker(): Promise<RunningBroker> {
  say('starting Kafka');
  const service = await startService();
  const client = createClient(service.url);
  const admin = client.admin();
  const producer = client.producer();
  const names: string[] = [];
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    async openChannel(name) {
      names.push(name);
      await createTopic(admin, name);
      return channelOf({ KAFKA_BROKERS: service.url, DEMO_TOPIC: name, DEMO_GROUP: name }, admin, producer);
    },
    async stop() {
      if (service.isBorrowed) await forget(admin, names);
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      await service.stop();
    },
  };
}

function channelOf(environment: KafkaEnvironment, admin: Admin, producer: Producer): Channel {
  const { DEMO_TOPIC: topic, DEMO_GROUP: groupId } = environment;
  return {
    environment: { ...environment },
    // A copy has the same key and value as its order, and an offset of its own.
    async send(orders) {
      const messages = orders.map((order) => ({ key: order.id, value: JSON.stringify(order) }));
      await producer.send({ topic, messages });
    },
    async undone() {
      const count = await uncommitted(admin, groupId, topic);
      return count === 0 ? [] : [`${count} messages are not committed`];
    },
  };
}
