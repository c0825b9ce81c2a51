import { ConfigurableModuleBuilder, type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { InvalidOptionsError } from '../../src/index.ts';
import { checkedOptions, CONSUMERS, createConsumers, SUBJECT } from './consumers.ts';
import { HANDLE_ONCE } from './decorators.ts';
import type { HandleOnceModuleOptions } from './options.ts';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<HandleOnceModuleOptions>()
    .setClassMethodName('forRoot')
    .setExtras({}, withConsumers)
    .build();

/**
 * Runs a consumer for each method that has `@OnSqsMessage` or `@OnKafkaMessage`: a worker of `createSqsWorker`, a
 * consumer of kafkajs by `onceEachKafkaMessage`. Import it once, in the root module.
 *
 * Consumers start when the application has started (`onApplicationBootstrap`), and drain before it ends
 * (`beforeApplicationShutdown`). Nest runs `onModuleDestroy` before that: close what handlers use in
 * `onApplicationShutdown`. Call `app.enableShutdownHooks()`, or a signal ends the process at once.
 *
 * The start of the application throws `InvalidOptionsError` where a name has no settings, no handler or two, where the
 * provider of a handler is not a singleton, where the module is imported more than once or without `forRoot`, and for
 * wrong options of all workers together. It also throws what the start of a worker throws. Wrong options of the module
 * throw it in `forRoot`, or at the start with `forRootAsync`; so do two names with one queue or one consumer.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     HandleOnceModule.forRoot({
 *       handleOnce: createHandleOnce({ sql, scope: 'billing' }),
 *       sqs: { orders: { client: new SQSClient(), queueUrl } },
 *     }),
 *   ],
 *   providers: [], // a class with @OnSqsMessage('orders') on one of its methods
 * })
 * class AppModule {}
 * ```
 */
export class HandleOnceModule extends ConfigurableModuleClass {
  /**
   * The module with these options. Throws `InvalidOptionsError` that names every wrong field of the module. The
   * options of the workers, which settings are, are checked at the start of the application, those of all names at
   * once.
   */
  static override forRoot(options: HandleOnceModuleOptions): DynamicModule {
    checkedOptions(options);
    return super.forRoot(options);
  }
}

function withConsumers(definition: DynamicModule): DynamicModule {
  return {
    ...definition,
    global: true,
    imports: [...(definition.imports ?? []), DiscoveryModule],
    providers: [...(definition.providers ?? []), ...PROVIDERS],
    exports: [HANDLE_ONCE],
  };
}

const PROVIDERS: Provider[] = [
  {
    provide: HANDLE_ONCE,
    inject: [MODULE_OPTIONS_TOKEN],
    useFactory: (options: HandleOnceModuleOptions) => checkedOptions(options).handleOnce,
  },
  {
    provide: CONSUMERS,
    inject: [MODULE_OPTIONS_TOKEN, DiscoveryService, MetadataScanner, Reflector],
    useFactory: (
      options: HandleOnceModuleOptions,
      discovery: DiscoveryService,
      scanner: MetadataScanner,
      reflector: Reflector,
    ) => createConsumers(options, { discovery, scanner, reflector }),
  },
];

const NOT_CONFIGURED =
  'is imported without options: import HandleOnceModule.forRoot({ handleOnce, sqs, kafka }), or forRootAsync';

// What forRoot and forRootAsync add replaces the provider of the same token.
Module({
  providers: [
    {
      provide: CONSUMERS,
      useFactory() {
        throw new InvalidOptionsError(SUBJECT, [{ field: '', message: NOT_CONFIGURED }]);
      },
    },
  ],
})(HandleOnceModule);
