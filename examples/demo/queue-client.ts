import {
  type DeleteMessageBatchCommandInput,
  type DeleteMessageBatchCommandOutput,
  type Message,
  type ReceiveMessageCommandOutput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Sql } from 'postgres';

/** A client by the usual environment variables. A local server may give its queues hosts that only it knows. */
export function createQueueClient(): SQSClient {
  return new SQSClient({ useQueueUrlAsEndpoint: false });
}

/** A client that writes each delivery down before its worker sees it. */
export function createWorkerClient(sql: Sql, worker: number): SQSClient {
  const client = createQueueClient();
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName === 'ReceiveMessageCommand') {
          const { Messages = [] } = result.output as ReceiveMessageCommandOutput;
          await recordDeliveries(sql, worker, Messages);
        }
        return result;
      },
    { step: 'initialize' },
  );
  return client;
}

async function recordDeliveries(sql: Sql, worker: number, messages: readonly Message[]): Promise<void> {
  const rows = messages.map(({ MessageId = '', ReceiptHandle = '' }) => ({
    message_id: MessageId,
    receipt_handle: ReceiptHandle,
    worker,
  }));
  if (rows.length > 0) await sql`insert into deliveries ${sql(rows)}`;
}

const FORGETFUL_FOR = 80;
const FORGET_EVERY = 4;

/** Has the client forget some of its first deletes, and say that they were done: as if the calls had been lost. */
export function forgetDeletes(client: SQSClient, sql: Sql): void {
  let deletes = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'DeleteMessageBatchCommand') return await next(args);
        const input = args.input as DeleteMessageBatchCommandInput;
        const entries = input.Entries ?? [];
        const kept = entries.filter(() => !forgets((deletes += 1)));
        const forgotten = entries.filter((entry) => !kept.includes(entry));
        await recordForgotten(
          sql,
          forgotten.map(({ ReceiptHandle = '' }) => ReceiptHandle),
        );
        if (kept.length > 0) return await next({ ...args, input: { ...input, Entries: kept } });
        const output: DeleteMessageBatchCommandOutput = { Successful: [], Failed: [], $metadata: {} };
        return { output, response: undefined };
      },
    { step: 'initialize' },
  );
}

function forgets(nthDelete: number): boolean {
  return nthDelete <= FORGETFUL_FOR && nthDelete % FORGET_EVERY === 0;
}

async function recordForgotten(sql: Sql, receiptHandles: readonly string[]): Promise<void> {
  if (receiptHandles.length === 0) return;
  await sql`update deliveries set delete_forgotten = true where receipt_handle in ${sql(receiptHandles)}`;
}
