import { Injectable } from '@nestjs/common';
import { createHandleOnce } from 'handle-once';
import type { KafkaDelivery } from 'handle-once/kafka';
import { HandleOnceModule, OnKafkaMessage } from 'handle-once/nestjs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { useKafka } from '../support/kafka.ts';
import { until } from '../support/until.ts';
import { startApplication } from './application.ts';

const kafka = useKafka();

@Injectable()
class Shipping {
  readonly shipped: string[] = [];
  readonly begun: string[] = [];
  readonly gate = gate();

  @OnKafkaMessage('payments')
  async ship({ payload }: KafkaDelivery<Buffer>): Promise<void> {
    const id = payload.toString();
    this.begun.push(id);
    if (id === 'slow') await this.gate.opened;
    this.shipped.push(id);
  }
}

it('a method handles the messages of its topics, and the end of the application commits what it settled', async () => {
  const topic = await kafka.createTopic();
  const consumer = kafka.consumer({ groupId: topic });
  const module = HandleOnceModule.forRoot({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'shipping' }),
    kafka: {
      payments: {
        ...{ consumer, groupId: topic, topics: [topic], fromBeginning: true },
        onFailed: 'acknowledge',
      },
    },
  });
  await kafka.produce(topic, [{ value: 'a' }, { value: 'slow' }]);
  const app = await startApplication([module], [Shipping]);
  const { shipped, begun, gate: slow } = app.get(Shipping);
  await until(() => begun.includes('slow'));
  // Late enough for an application that does not wait to have ended.
  setTimeout(slow.open, 100);
  await app.close();
  expect(shipped).toEqual(['a', 'slow']);
  expect(await kafka.committed(topic, topic)).toEqual([2]);
});

@Injectable()
class Invoicing {
  readonly invoiced: string[] = [];

  @OnKafkaMessage('payments')
  invoice(deliveries: readonly KafkaDelivery<Buffer>[]): void {
    this.invoiced.push(...deliveries.map(({ payload }) => payload.toString()));
  }
}

it('with `batch`, a method gets lists of messages', async () => {
  const topic = await kafka.createTopic();
  const consumer = kafka.consumer({ groupId: topic });
  const module = HandleOnceModule.forRoot({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'invoicing' }),
    kafka: {
      payments: {
        ...{ consumer, groupId: topic, topics: [topic], fromBeginning: true },
        ...{ batch: { size: 10 }, onFailed: 'acknowledge' },
      },
    },
  });
  await kafka.produce(topic, [{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
  const app = await startApplication([module], [Invoicing]);
  await expect.poll(() => app.get(Invoicing).invoiced).toEqual(['a', 'b', 'c']);
  await app.close();
  expect(await kafka.committed(topic, topic)).toEqual([3]);
});
