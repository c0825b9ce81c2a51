/**
 * A NestJS application whose provider handles the messages of an SQS queue: its worker starts when the application has,
 * and drains when that is shut down. An order that fails permanently stays in the queue, whose redrive policy moves it
 * to a dead-letter queue.
 *
 * DATABASE_URL=... QUEUE_URL=... npx tsx examples/nestjs-sqs.ts
 */
import 'reflect-metadata';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Inject, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Attempt, createHandleOnce, migrate } from 'handle-once';
import { HandleOnceModule, OnSqsMessage } from 'handle-once/nestjs';
import { type Maintenance, startMaintenance } from 'handle-once/operations';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });
const SQL = Symbol('SQL');

/** What an order costs its customer once. Like any provider it can have others injected. */
@Injectable()
class Billing {
  readonly #logger = new Logger(Billing.name);

  @OnSqsMessage('orders')
  charge(order: z.infer<typeof Order>, attempt: Attempt): void {
    this.#logger.log(`charge ${order.cents} cents for ${order.id}, key ${attempt.childKey('charge')}`);
  }
}

/** It closes in `onApplicationShutdown`: the handlers have ended by then. */
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
  ],
  exports: [SQL],
})
class DatabaseModule implements OnApplicationShutdown {
  readonly #sql: postgres.Sql;
  readonly #maintenance: Maintenance; // deletes expired records

  constructor(@Inject(SQL) sql: postgres.Sql) {
    this.#sql = sql;
    this.#maintenance = startMaintenance({ sql });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#maintenance.stop();
    await this.#sql.end({ timeout: 5 });
    console.log('stopped');
  }
}

@Module({
  imports: [
    HandleOnceModule.forRootAsync({
      imports: [DatabaseModule],
      inject: [SQL],
      useFactory: (sql: postgres.Sql) => ({
        handleOnce: createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 }),
        sqs: { orders: { client: new SQSClient(), queueUrl: required('QUEUE_URL'), schema: Order } },
      }),
    }),
  ],
  providers: [Billing],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks(['SIGTERM']);
console.log('started');
