import { Inject, Injectable } from '@nestjs/common';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type Attempt, createHandleOnce } from 'handle-once';
import { HandleOnceModule, OnSqsMessage } from 'handle-once/nestjs';
import type { SqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, it } from 'vitest';
import { messagesIn } from '../../examples/demo/sqs/messages-in.ts';
import { gate } from '../support/gate.ts';
import { createQueueWithRedrive, useSqs } from '../support/sqs.ts';
import { startApplication } from './application.ts';

const client = useSqs('fauxqs');

@Injectable()
class Ledger {
  readonly charged: string[] = [];
  readonly begun: string[] = [];
  readonly gate = gate();
}

@Injectable()
class Billing {
  readonly #ledger: Ledger;

  constructor(@Inject(Ledger) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @OnSqsMessage('orders')
  async charge({ id }: { id: string }, attempt: Attempt): Promise<void> {
    this.#ledger.begun.push(id);
    if (id === 'slow') await this.#ledger.gate.opened;
    this.#ledger.charged.push(`${id} ${attempt.number}`);
  }
}

it('a method handles the messages of its queue once, and the end of the application waits for it', async () => {
  const queueUrl = await createQueueWithRedrive(client);
  const send = (id: string) =>
    client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ id }) }));
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const module = HandleOnceModule.forRoot({
    handleOnce,
    sqs: { orders: { client, queueUrl, key: (message: SqsMessage) => message.Body, waitTimeSeconds: 1 } },
  });
  const app = await startApplication([module], [Billing, Ledger]);
  const { charged, begun, gate } = app.get(Ledger);

  await send('order-1');
  await send('order-1');
  await expect.poll(() => messagesIn(client, queueUrl)).toBe(0);
  expect(charged).toEqual(['order-1 1']);

  await send('slow');
  await expect.poll(() => begun).toContain('slow');
  // Late enough for an application that does not wait to have ended.
  setTimeout(gate.open, 100);
  await app.close();
  expect(charged).toEqual(['order-1 1', 'slow 1']);
  expect(await messagesIn(client, queueUrl)).toBe(0);
});

@Injectable()
class Invoicing {
  readonly calls: (readonly [ids: string[], numbers: number[]])[] = [];

  @OnSqsMessage('orders')
  invoice(orders: readonly { id: string }[], attempts: readonly Attempt[]): void {
    this.calls.push([orders.map(({ id }) => id).toSorted(), attempts.map(({ number }) => number)]);
  }
}

it('with `batch`, a method handles many messages of its queue at once', async () => {
  const queueUrl = await createQueueWithRedrive(client);
  const Entries = ['1', '2'].map((id) => ({ Id: id, MessageBody: JSON.stringify({ id }) }));
  await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  const module = HandleOnceModule.forRoot({
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'invoicing' }),
    // Full at two: it does not wait for the whole minute.
    sqs: { orders: { client, queueUrl, batch: { size: 2, waitMs: 60_000 }, waitTimeSeconds: 1 } },
  });
  const app = await startApplication([module], [Invoicing]);
  const { calls } = app.get(Invoicing);
  await expect
    .poll(() => calls)
    .toEqual([
      [
        ['1', '2'],
        [1, 1],
      ],
    ]);
  await app.close();
  expect(await messagesIn(client, queueUrl)).toBe(0);
});

it('a queue that is not there ends the start, and what has started', async () => {
  const queueUrl = await createQueueWithRedrive(client);
  @Injectable()
  class Audit {
    @OnSqsMessage('audit')
    note(): void {
      throw new Error('nothing is received in this test');
    }
  }
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const module = HandleOnceModule.forRoot({
    handleOnce,
    sqs: {
      orders: { client, queueUrl, waitTimeSeconds: 1 },
      audit: { client, queueUrl: `${queueUrl}-that-is-not-there` },
    },
  });
  await expect(startApplication([module], [Billing, Ledger, Audit])).rejects.toThrow(/sqs\.audit/);
});
