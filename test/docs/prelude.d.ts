import type { IncomingMessage } from 'node:http';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { RequestHandler } from 'express';
import type { DatabaseClient, HandleOnce } from 'handle-once';
import type { fromPrisma } from 'handle-once/clients';
import type { SqsMessage, SqsWorker } from 'handle-once/sqs';
import type { ScriptedMessage } from 'handle-once/contracts';
import type { Verify } from 'handle-once/webhook';
import type { Admin, Consumer, Kafka, Producer } from 'kafkajs';
import type { Sql, TransactionSql } from 'postgres';

/** What the examples of the documentation take for granted. */
declare global {
  const databaseUrl: string;
  const queueUrl: string;
  const deadLetterQueueUrl: string;
  const brokers: string[];
  const groupId: string;
  const kafka: Kafka;
  const consumer: Consumer;
  const producer: Producer;
  const admin: Admin;
  const sql: Sql;
  const client: SQSClient;
  const worker: SqsWorker;
  const handleOnce: HandleOnce<TransactionSql>;
  interface Order {
    readonly orderId: string;
    readonly cents: number;
  }
  const orderSchema: StandardSchemaV1<unknown, Order>;
  function readOrder(body: unknown): Order;
  const order: Order;
  const orders: readonly Order[];
  const card: { readonly blocked: boolean };
  const webhookSecret: string;
  const request: Request;
  const verify: Verify;
  const incoming: IncomingMessage;
  const requireUser: RequestHandler;
  const compress: RequestHandler;
  function userOf(request: Request): Promise<string>;
  function authenticate(request: Request | IncomingMessage): Promise<{ readonly userId: string }>;
  const response: { readonly status: number };
  interface QueueMessage {
    readonly id: string;
    readonly body: string;
    ack(): Promise<void>;
    nack(delayMs: number): Promise<void>;
  }
  interface MyTransaction {
    run(statement: string, parameters?: (string | null)[]): Promise<(string | number | null)[][]>;
  }
  interface MyDatabase extends MyTransaction {
    transaction<T>(work: (transaction: MyTransaction) => Promise<T>): Promise<T>;
    close(): Promise<void>;
  }
  function openMyDatabase(url: string): MyDatabase;
  function fromMyLibrary(database: MyDatabase): DatabaseClient<MyTransaction>;
  const PrismaClient: new (options: {
    adapter: object;
    transactionOptions?: { timeout?: number; maxWait?: number };
  }) => Parameters<typeof fromPrisma>[0];
  function consume(message: ScriptedMessage, ...more: unknown[]): Promise<void>;
  function publish(to: string, message: QueueMessage, errorText: string): Promise<void>;
  function deliveryId(message: SqsMessage): string;
  function charge(
    order: Order,
    options: { signal?: AbortSignal; idempotencyKey: string },
  ): Promise<{ id: string }>;
  /** At a search index: the errors of those that it refused. */
  function indexAll(orders: readonly Order[]): Promise<readonly (Error | undefined)[]>;
  function ship(order: Order, sentAt?: string): Promise<void>;
}
