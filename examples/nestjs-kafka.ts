/**
 * A NestJS microservice on Kafka, whose events are each handled once.
 *
 * Nest's own server gives kafkajs what a handler throws: that stops every partition, and the sixth throw crashes the
 * consumer. This one runs the same consumer by `onceEachKafkaMessage`, which throws nothing, and commits no offset
 * before its message is on record.
 *
 *     DATABASE_URL=... KAFKA_BROKERS=... TOPIC=... PROVIDER_URL=... npx tsx examples/nestjs-kafka.ts
 */
import 'reflect-metadata';
import { Catch, Controller, Module, type RpcExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Ctx,
  EventPattern,
  KafkaContext,
  type KafkaOptions,
  Payload,
  ServerKafka,
} from '@nestjs/microservices';
import { type Attempt, createHandleOnce, migrate, TerminalError } from 'handle-once';
import {
  type KafkaDelivery,
  onceEachKafkaMessage,
  type OnceEachKafkaMessageOptions,
} from 'handle-once/kafka';
import { startMaintenance } from 'handle-once/operations';
import type { Consumer } from 'kafkajs';
import postgres from 'postgres';
import { isObservable, lastValueFrom, type Observable, throwError } from 'rxjs';
import * as z from 'zod';
import { required } from './environment.ts';

const TOPIC = required('TOPIC');
const Order = z.object({ id: z.string(), cents: z.int().positive() });
type Order = z.infer<typeof Order>;

type Options = Omit<OnceEachKafkaMessageOptions<typeof Order, unknown>, 'consumer' | 'groupId'>;
type ContextArguments = ConstructorParameters<typeof KafkaContext>[0];

/** What `@Ctx()` gives: Nest's own, and the attempt. */
class OnceContext extends KafkaContext {
  readonly attempt: Attempt;

  constructor(args: ContextArguments, attempt: Attempt) {
    super(args);
    this.attempt = attempt;
  }
}

/** Handlers of events only: a `@MessagePattern` would have to be answered again at each delivery. */
class OnceServerKafka extends ServerKafka {
  readonly #once: Options;

  constructor(options: NonNullable<KafkaOptions['options']>, once: Options) {
    super(options);
    this.#once = once;
  }

  override async bindEvents(consumer: Consumer): Promise<void> {
    const { subscribe } = this.options;
    await consumer.subscribe({ ...subscribe, topics: [...this.messageHandlers.keys()] });
    const fromBeginning = subscribe?.fromBeginning;
    const options = { ...this.#once, consumer, groupId: this.groupId, fromBeginning };
    await consumer.run(onceEachKafkaMessage(options, (delivery, attempt) => this.#handle(delivery, attempt)));
  }

  async #handle(delivery: KafkaDelivery<Order>, attempt: Attempt): Promise<void> {
    const { topic, partition, message, payload, heartbeat } = delivery;
    const args = [message, partition, topic, this.consumer, heartbeat, this.producer] as ContextArguments;
    const handled: unknown = await this.getHandlerByPattern(topic)?.(payload, new OnceContext(args, attempt));
    // Also what the handler threw comes in a stream.
    if (isObservable(handled)) await lastValueFrom(handled, { defaultValue: undefined });
  }
}

/** Without it an error of a handler would be replaced by one that says nothing, and that is never terminal. */
@Catch()
class AsItIs implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

@Controller()
class OrdersController {
  @EventPattern(TOPIC)
  async charge(@Payload() order: Order, @Ctx() { attempt }: OnceContext): Promise<void> {
    const response = await fetch(required('PROVIDER_URL'), {
      method: 'POST',
      headers: { 'Idempotency-Key': attempt.childKey('charge') },
      body: JSON.stringify(order),
      signal: attempt.signal,
    });
    if (response.status === 402) throw new TerminalError('the card was declined');
    if (!response.ok) throw new Error(`the provider answered ${response.status}`);
    console.log(`charged ${order.cents} cents for ${order.id}`);
  }
}

@Module({ controllers: [OrdersController] })
class AppModule {}

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records

const app = await NestFactory.createMicroservice(AppModule, {
  strategy: new OnceServerKafka(
    {
      client: { clientId: 'billing', brokers: required('KAFKA_BROKERS').split(',') },
      // A stop waits for the fetch that is under way.
      consumer: {
        groupId: 'payments',
        sessionTimeout: 10_000,
        heartbeatInterval: 1_000,
        maxWaitTimeInMs: 1_000,
      },
      postfixId: '', // or the group is 'payments-server'
      subscribe: { fromBeginning: true },
    },
    {
      handleOnce: createHandleOnce({
        sql,
        scope: 'orders',
        leaseMs: 5_000,
        backoff: { baseMs: 200, maxMs: 60_000 },
      }),
      schema: Order,
      // What failed permanently is passed. Its record has the error; give a dead-letter topic to keep the message too.
      onFailed: 'acknowledge',
    },
  ),
});
app.useGlobalFilters(new AsItIs());

async function stop(): Promise<void> {
  await app.close(); // waits for the handlers that run, and commits what they have settled
  await maintenance.stop();
  await sql.end({ timeout: 5 });
  console.log('stopped');
}

process.once('SIGTERM', () => void stop());
await app.listen();
console.log('started');
