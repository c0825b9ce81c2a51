/**
 * A NestJS application whose provider runs an SQS worker: it starts when the application has, and drains when that is
 * shut down. An order that fails for good stays in the queue, whose redrive policy moves it to a dead-letter queue.
 *
 *     DATABASE_URL=... QUEUE_URL=... npx tsx examples/nestjs-sqs.ts
 */
import 'reflect-metadata';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  Inject,
  Injectable,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Attempt, createHandleOnce, migrate } from 'handle-once';
import { createSqsWorker, type SqsWorker } from 'handle-once/sqs';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });
const SQL = Symbol('SQL');

/** What an order costs its customer once. Like any provider it can have others injected. */
@Injectable()
class Billing {
  readonly #logger = new Logger(Billing.name);

  charge(order: z.infer<typeof Order>, attempt: Attempt): void {
    this.#logger.log(`charge ${order.cents} cents for ${order.id}, key ${attempt.childKey('charge')}`);
  }
}

@Injectable()
class OrdersWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #client = new SQSClient();
  readonly #worker: SqsWorker;

  constructor(@Inject(SQL) sql: postgres.Sql, @Inject(Billing) billing: Billing) {
    this.#worker = createSqsWorker(
      {
        client: this.#client,
        queueUrl: required('QUEUE_URL'),
        handleOnce: createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 }),
        schema: Order,
      },
      (order, attempt) => {
        billing.charge(order, attempt);
      },
    );
  }

  onApplicationBootstrap(): Promise<void> {
    return this.#worker.start();
  }

  /** It drains before `onApplicationShutdown`, in which others close what handlers use. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#worker.stop();
    this.#client.destroy();
  }
}

@Module({
  providers: [
    {
      provide: SQL,
      async useFactory() {
        const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
        await migrate(sql);
        return sql;
      },
    },
    Billing,
    OrdersWorker,
  ],
})
class AppModule implements OnApplicationShutdown {
  readonly #sql: postgres.Sql;

  constructor(@Inject(SQL) sql: postgres.Sql) {
    this.#sql = sql;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#sql.end({ timeout: 5 });
    console.log('stopped');
  }
}

const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks(['SIGTERM']);
console.log('started');
