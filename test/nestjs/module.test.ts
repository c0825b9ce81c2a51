import { type DynamicModule, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { createHandleOnce, type HandleOnce, InvalidOptionsError } from 'handle-once';
import {
  HANDLE_ONCE,
  HandleOnceModule,
  InjectHandleOnce,
  OnKafkaMessage,
  OnSqsMessage,
} from 'handle-once/nestjs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, vi } from 'vitest';
import { fakeConsumer } from '../kafka/support/fake-consumer.ts';
import { startApplication } from './application.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
const client = { send: () => Promise.reject(new Error('nothing is sent in these tests')) };
const queue = { client: client as never, queueUrl: 'https://sqs.example.com/1/orders' };
const topics = {
  consumer: {
    connect: () => Promise.reject(new Error('nothing connects in these tests')),
    subscribe: () => Promise.resolve(),
    run: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
  } as never,
  groupId: 'billing',
  topics: ['payments'],
  onFailed: 'acknowledge',
} as const;

@Injectable()
class Billing {
  @OnSqsMessage('orders')
  charge(): void {
    throw new Error('nothing is received in these tests');
  }
}

@Injectable()
class Shipping {
  @OnKafkaMessage('payments')
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

describe('A module that is imported more than once is refused', () => {
  const again = [
    {
      field: '',
      message:
        'is imported more than once: import it once, in the root module, with the settings of all names',
    },
  ];

  @Module({})
  class OrdersModule {}
  @Module({})
  class PaymentsModule {}
  const feature = (
    module: typeof OrdersModule,
    settings: object,
    provider: typeof Billing | typeof Shipping,
  ) =>
    ({
      module,
      imports: [HandleOnceModule.forRoot({ handleOnce, ...settings })],
      providers: [provider],
    }) satisfies DynamicModule;

  it('by two modules, each with its own names', async () => {
    const orders = feature(OrdersModule, { sqs: { orders: queue } }, Billing);
    const payments = feature(PaymentsModule, { kafka: { payments: topics } }, Shipping);
    expect(await issuesOf([orders, payments], [])).toEqual(again);
  });

  it('by the root and a submodule, with the same names', async () => {
    const settings = { sqs: { orders: queue } };
    const orders = feature(OrdersModule, settings, Billing);
    const root = HandleOnceModule.forRoot({ handleOnce, ...settings });
    expect(await issuesOf([root, orders], [])).toEqual(again);
  });

  it('and one that two modules share is not', async () => {
    const shared = HandleOnceModule.forRoot({ handleOnce });
    const importing = (module: typeof OrdersModule) => ({ module, imports: [shared] });
    const app = await startApplication([importing(OrdersModule), importing(PaymentsModule)], []);
    expect(app.get<HandleOnce>(HANDLE_ONCE)).toBe(handleOnce);
  });
});

describe('Consumers', () => {
  @Injectable()
  class Refunds {
    @OnKafkaMessage('refunds')
    refund(): void {
      throw new Error('nothing is received in these tests');
    }
  }

  function start(connect: () => Promise<void>) {
    const names = ['payments', 'refunds'];
    const consumers = names.map((name) => ({
      ...fakeConsumer(),
      connect: name === 'refunds' ? connect : () => Promise.resolve(),
      subscribe: vi.fn(() => Promise.resolve()),
    }));
    const [payments, refunds] = consumers as never[];
    const onFailed = { deadLetterTopic: 'failed', producer: { send: () => Promise.resolve([]) } };
    const module = HandleOnceModule.forRoot({
      handleOnce,
      kafka: {
        payments: { ...topics, consumer: payments as never, fromBeginning: true },
        refunds: { ...topics, consumer: refunds as never, topics: ['refunds'], onFailed },
      },
    });
    return { consumers, started: startApplication([module], [Shipping, Refunds]) };
  }

  it('run, each with its topics, and disconnect at the end of the application', async () => {
    const { consumers, started } = start(() => Promise.resolve());
    const app = await started;
    expect(consumers.map(({ calls }) => calls)).toEqual([['run'], ['run']]);
    expect(consumers.map(({ subscribe }) => subscribe.mock.calls)).toEqual([
      [[{ topics: ['payments'], fromBeginning: true }]],
      [[{ topics: ['refunds'] }]],
    ]);
    const [first] = consumers;
    Object.assign(first?.does ?? {}, { disconnect: () => Promise.reject(new Error('no answer')) });
    await expect(app.close()).rejects.toThrow('no answer');
    expect(consumers.map(({ calls }) => calls.at(-1))).toEqual(['disconnect', 'disconnect']);
  });

  it('that have started disconnect where another cannot start', async () => {
    const { consumers, started } = start(() => Promise.reject(new Error('no broker')));
    await expect(started).rejects.toThrow('no broker');
    expect(consumers.map(({ calls }) => calls)).toEqual([['run', 'disconnect'], ['disconnect']]);
  });
});

describe('The start is refused with the field and the fix for', () => {
  it.each<[string, object, string, string]>([
    ['no options', undefined as never, '', 'the options must be an object'],
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
      'nothing as settings',
      { handleOnce, sqs: { orders: null } },
      'sqs.orders',
      'must be the options of createSqsWorker, without handleOnce',
    ],
    [
      'topics without a consumer',
      { handleOnce, kafka: { payments: { topics: ['a'] } } },
      'kafka.payments.consumer',
      'must be a consumer of kafkajs, made by kafka.consumer({ groupId })',
    ],
    [
      'a consumer without connect',
      {
        handleOnce,
        kafka: { payments: { ...topics, consumer: { subscribe: Date, run: Date, disconnect: Date } } },
      },
      'kafka.payments.consumer',
      'must be a consumer of kafkajs, made by kafka.consumer({ groupId })',
    ],
    ...[[], 'payments', ['payments', 7], undefined].map((wrong): [string, object, string, string] => [
      'topics that are no list of names',
      { handleOnce, kafka: { payments: { ...topics, topics: wrong } } },
      'kafka.payments.topics',
      'must be a list of one or more names of topics',
    ]),
    [
      'a consumer as settings',
      { handleOnce, kafka: { payments: 'payments' } },
      'kafka.payments',
      'must be { consumer, topics } and the options of onceEachKafkaMessage, without handleOnce',
    ],
    [
      'one queue with two names',
      {
        handleOnce,
        sqs: {
          ...{ orders: queue, others: { ...queue, queueUrl: 'other' } },
          ...{ elsewhere: { ...queue, client: { ...client } }, again: { ...queue } },
        },
      },
      'sqs.again.queueUrl',
      'is the queue of sqs.orders too: give each queue one name, and one handler',
    ],
    [
      'one consumer with two names',
      { handleOnce, kafka: { payments: topics, refunds: { ...topics, topics: ['refunds'] } } },
      'kafka.refunds.consumer',
      'is the consumer of kafka.payments too: make one for each name, by kafka.consumer({ groupId })',
    ],
  ])('%s', async (_, options, field, message) => {
    const imports = [HandleOnceModule.forRootAsync({ useFactory: () => options as never })];
    expect(await issuesOf(imports, [])).toEqual([{ field, message }]);
    expect(() => HandleOnceModule.forRoot(options as never)).toThrow(`HandleOnceModule: ${field || message}`);
    expect(() => HandleOnceModule.forRoot(options as never)).toThrow(InvalidOptionsError);
  });

  it('handlers without settings', async () => {
    expect(await issuesOf([HandleOnceModule.forRoot({ handleOnce })], [Billing, Shipping])).toEqual([
      { field: 'sqs.orders', message: "is missing: Billing.charge has @OnSqsMessage('orders')" },
      { field: 'kafka.payments', message: "is missing: Shipping.ship has @OnKafkaMessage('payments')" },
    ]);
  });

  it('settings without a handler', async () => {
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders: queue } });
    expect(await issuesOf([module], [])).toEqual([
      {
        field: 'sqs.orders',
        message: "has no handler: put @OnSqsMessage('orders') on a method of a provider",
      },
    ]);
  });

  it('settings without a handler, and wrong options of another name, in one error', async () => {
    const orders = { ...queue, concurency: 4, onFailed: { deadLetterQueueUrl: undefined } };
    const refunds = { ...queue, queueUrl: `${queue.queueUrl}-refunds` };
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders, refunds } as never });
    expect((await issuesOf([module], [Billing])).map(({ field }) => field)).toEqual([
      'sqs.refunds',
      'sqs.orders.onFailed.deadLetterQueueUrl',
      'sqs.orders.concurency',
    ]);
  });

  it('two handlers of one queue, and not for two tokens of one provider', async () => {
    @Injectable()
    class Audit {
      @OnSqsMessage('orders')
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

  it.each([
    [Scope.REQUEST, 'is created for each request'],
    [Scope.TRANSIENT, 'is transient, so it is created for each injection'],
  ])('a provider that is no singleton (%s)', async (scope, how) => {
    @Injectable({ scope })
    class Orders {
      @OnSqsMessage('orders')
      charge(): void {
        throw new Error('nothing is received in these tests');
      }
    }
    const module = HandleOnceModule.forRoot({ handleOnce, sqs: { orders: queue } });
    const fix = 'make it, and everything it injects, a singleton';
    expect(await issuesOf([module], [Orders])).toEqual([
      { field: 'sqs.orders', message: `is handled by Orders.charge, whose provider ${how}; ${fix}` },
    ]);
  });

  it('a handler whose override has no decorator, which counts as the one it overrides', async () => {
    @Injectable()
    class Discounts extends Billing {
      override charge(): void {
        throw new Error('nothing is received in these tests');
      }
    }
    expect(await issuesOf([HandleOnceModule.forRoot({ handleOnce })], [Discounts])).toEqual([
      { field: 'sqs.orders', message: "is missing: Discounts.charge has @OnSqsMessage('orders')" },
    ]);
  });

  it('options of a worker, with the name of its settings', async () => {
    const module = HandleOnceModule.forRoot({
      handleOnce,
      sqs: { orders: { ...queue, concurrency: 0 } },
    });
    const started = startApplication([module], [Billing]);
    await expect(started).rejects.toThrow(
      'HandleOnceModule: sqs.orders.concurrency: must be a whole number of handlers from 1 to 1,000',
    );
  });

  it('a dead-letter topic that is consumed', async () => {
    const onFailed = { deadLetterTopic: topics.topics[0], producer: { send: () => Promise.resolve([]) } };
    const module = HandleOnceModule.forRoot({ handleOnce, kafka: { payments: { ...topics, onFailed } } });
    expect((await issuesOf([module], [Shipping])).map(({ field }) => field)).toEqual([
      'kafka.payments.onFailed.deadLetterTopic',
    ]);
  });

  it('options of all workers at once, before any of them starts', async () => {
    @Injectable()
    class Orders extends Billing {
      @OnKafkaMessage('orders')
      ship(): void {
        throw new Error('nothing is received in these tests');
      }
    }
    const module = HandleOnceModule.forRoot({
      handleOnce,
      sqs: { orders: { ...queue, concurrency: 0, waitTimeSeconds: 60 } },
      kafka: { orders: { ...topics, groupId: undefined as never } },
    });
    expect((await issuesOf([module], [Orders])).map(({ field }) => field).toSorted()).toEqual([
      'kafka.orders.consumer',
      'kafka.orders.groupId',
      'sqs.orders.concurrency',
      'sqs.orders.waitTimeSeconds',
    ]);
  });

  it('the module without forRoot, also beside one with it', async () => {
    const bare = HandleOnceModule as never;
    const refused = [
      {
        field: '',
        message:
          'is imported without options: import HandleOnceModule.forRoot({ handleOnce, sqs, kafka }), or forRootAsync',
      },
    ];
    expect(await issuesOf([bare], [Billing])).toEqual(refused);
    expect(await issuesOf([bare], [])).toEqual(refused);
    expect(await issuesOf([HandleOnceModule.forRoot({ handleOnce }), bare], [])).toEqual(refused);
  });
});
