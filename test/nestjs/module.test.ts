import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { createHandleOnce, type HandleOnce, InvalidOptionsError } from 'handle-once';
import {
  HANDLE_ONCE,
  HandleOnceModule,
  InjectHandleOnce,
  KafkaHandler,
  SqsHandler,
} from 'handle-once/nestjs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { startApplication } from './application.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
const client = { send: () => Promise.reject(new Error('nothing is sent in these tests')) };
const queue = { client: client as never, queueUrl: 'https://sqs.example.com/1/orders' };

@Injectable()
class Billing {
  @SqsHandler('orders')
  charge(): void {
    throw new Error('nothing is received in these tests');
  }
}

@Injectable()
class Shipping {
  @KafkaHandler('payments')
  ship(): void {
    throw new Error('nothing is received in these tests');
  }
}

/** What the start of an application is refused with. */
async function issuesOf(...given: Parameters<typeof startApplication>) {
  const error: unknown = await startApplication(...given).catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidOptionsError)) throw error;
  return error.issues;
}

describe('The module', () => {
  it('gives its handleOnce to providers', async () => {
    @Injectable()
    class Refunds {
      readonly handleOnce: HandleOnce;

      constructor(@InjectHandleOnce() injected: HandleOnce) {
        this.handleOnce = injected;
      }
    }
    const app = await startApplication([HandleOnceModule.forRoot({ handleOnce })], [Refunds]);
    expect(app.get(Refunds).handleOnce).toBe(handleOnce);
    expect(app.get<HandleOnce>(HANDLE_ONCE)).toBe(handleOnce);
  });

  it('gets its options from a factory, which has providers injected', async () => {
    const SCOPE = Symbol('scope');
    @Injectable()
    class Refunds {
      readonly scope: string;

      constructor(@Inject(HANDLE_ONCE) injected: HandleOnce) {
        this.scope = injected.settings.scope;
      }
    }
    @Module({ providers: [{ provide: SCOPE, useValue: 'of-factory' }], exports: [SCOPE] })
    class Settings {}
    const module = HandleOnceModule.forRootAsync({
      imports: [Settings],
      inject: [SCOPE],
      useFactory: (scope: string) => ({
        handleOnce: createHandleOnce({ store: createMemoryStore(), scope }),
      }),
    });
    const app = await startApplication([module], [Refunds]);
    expect(app.get(Refunds).scope).toBe('of-factory');
  });
});

describe('The start is refused with the field and the fix for', () => {
  it.each<[string, object, string, string]>([
    ['no handleOnce', {}, 'handleOnce', 'must be made by createHandleOnce'],
    [
      'a misspelt option',
      { handleOnce, sqsQueues: {} },
      'sqsQueues',
      'is not an option; remove it or correct its spelling',
    ],
    [
      'a list of queues',
      { handleOnce, sqs: [] },
      'sqs',
      'must be an object: settings by the name of their handler',
    ],
    [
      'a URL as settings',
      { handleOnce, sqs: { orders: queue.queueUrl } },
      'sqs.orders',
      'must be the options of createSqsWorker, without handleOnce',
    ],
    [
      'topics without a consumer',
      { handleOnce, kafka: { payments: { topics: ['a'] } } },
      'kafka.payments',
      'must be { consumer, topics } and the options of onceEachMessage, without handleOnce',
    ],
  ])('%s', async (_, options, field, message) => {
    expect(await issuesOf([HandleOnceModule.forRoot(options as never)], [])).toEqual([{ field, message }]);
  });

  it('handlers without settings', async () => {
    expect(await issuesOf([HandleOnceModule.forRoot({ handleOnce })], [Billing, Shipping])).toEqual([
      { field: 'sqs.orders', message: "is missing: Billing.charge has @SqsHandler('orders')" },
      { field: 'kafka.payments', message: "is missing: Shipping.ship has @KafkaHandler('payments')" },
    ]);
  });

  it('settings without a handler', async () => {
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders: queue } });
    expect(await issuesOf([module], [])).toEqual([
      { field: 'sqs.orders', message: "has no handler: put @SqsHandler('orders') on a method of a provider" },
    ]);
  });

  it('two handlers of one queue, and not for two tokens of one provider', async () => {
    @Injectable()
    class Audit {
      @SqsHandler('orders')
      note(): void {
        throw new Error('nothing is received in these tests');
      }
    }
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders: queue } });
    const alias = { provide: 'billing', useExisting: Billing };
    expect(await issuesOf([module], [Billing, alias, Audit])).toEqual([
      { field: 'sqs.orders', message: 'has more than one handler: Billing.charge and Audit.note' },
    ]);
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])('a provider that is no singleton (%s)', async (scope) => {
    @Injectable({ scope })
    class Orders {
      @SqsHandler('orders')
      charge(): void {
        throw new Error('nothing is received in these tests');
      }
    }
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders: queue } });
    const [issue] = await issuesOf([module], [Orders]);
    expect(issue?.field).toBe('sqs.orders');
    expect(issue?.message).toMatch(/^is handled by Orders\.charge, whose provider is made for each request/);
  });

  it('options of a worker, with the name of its settings', async () => {
    const module = HandleOnceModule.forRoot({
      handleOnce,
      sqs: { orders: { ...queue, concurrency: 0 } },
    });
    const started = startApplication([module], [Billing]);
    await expect(started).rejects.toThrow(
      'HandleOnceModule: sqs.orders: concurrency: must be a whole number of handlers from 1 to 1,000',
    );
  });
});
