import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Sql } from 'postgres';

export interface Order {
  readonly id: string;
  readonly cents: number;
}

const ORDERS = 300;
/** Every so manieth order is sent twice. */
const SENT_TWICE = 8;

/** The same orders every time. A copy follows its order at once, or comes when all the others have been sent. */
export function traffic(): Order[] {
  const orders = Array.from({ length: ORDERS }, (_, index) => order(index + 1));
  const copies = orders.filter((_, index) => index % SENT_TWICE === 0);
  const late = new Set(copies.filter((_, index) => index % 2 === 0));
  return [
    ...orders.flatMap((each) => (copies.includes(each) && !late.has(each) ? [each, each] : [each])),
    ...late,
  ];
}

function order(number: number): Order {
  return { id: `order-${String(number).padStart(3, '0')}`, cents: 500 + ((number * 137) % 9_500) };
}

/** Sends each as a message of its own: a copy gets another MessageId than its order. */
export async function send(
  client: SQSClient,
  queueUrl: string,
  sql: Sql,
  orders: readonly Order[],
): Promise<void> {
  for (let start = 0; start < orders.length; start += 10) {
    const batch = orders.slice(start, start + 10);
    const { Successful = [], Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map(entry) }),
    );
    if (Failed.length > 0) throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`);
    const rows = Successful.map(({ Id, MessageId }) => ({
      message_id: MessageId ?? '',
      order_id: batch[Number(Id)]?.id ?? '',
    }));
    await sql`insert into messages ${sql(rows)}`;
  }
}

function entry(order: Order, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(order),
    MessageAttributes: { OrderId: { DataType: 'String', StringValue: order.id } },
  };
}
