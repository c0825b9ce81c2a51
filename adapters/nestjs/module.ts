import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { checkedOptions, CONSUMERS, createConsumers } from './consumers.ts';
import { HANDLE_ONCE } from './decorators.ts';
import type { HandleOnceModuleOptions } from './options.ts';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<HandleOnceModuleOptions>()
    .setClassMethodName('forRoot')
    .setExtras({}, withConsumers)
    .build();

/**
 * Runs a consumer for each method that has `@SqsHandler` or `@KafkaHandler`: a worker of `createSqsWorker`, a consumer
 * of kafkajs by `onceEachMessage`. Import it once, in the root module.
 *
 * They start when the application has started (`onApplicationBootstrap`), and drain before it ends
 * (`beforeApplicationShutdown`). Nest runs `onModuleDestroy` before that: close what handlers use in
 * `onApplicationShutdown`. Call `app.enableShutdownHooks()`, or a signal ends the process at once.
 *
 * The start of the application throws `InvalidOptionsError` where a name has no settings, no handler or two, where
 * the provider of a handler is no singleton, where the module is imported more than once, and what the start of a
 * worker throws. Wrong options throw it in `forRoot`, or at the start with `forRootAsync`.
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
 *   providers: [], // a class with @SqsHandler('orders') on one of its methods
 * })
 * class AppModule {}
 * ```
 */
export class HandleOnceModule extends ConfigurableModuleClass {
  /** The module with these options. Throws `InvalidOptionsError` that names every wrong field. */
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
