import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { USABLE_CLIENTS } from './test/kafka/broker/support/members/installed-clients.ts';
import LongestFirst from './test/support/longest-first.ts';
import { V8_FLAGS } from './proof/simulation/v8-flags.ts';

// Its notice of the end of Node 20's support is printed by every process that loads the SDK.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Files that use a service, start processes, or let time pass: most of the time they wait. */
const INTEGRATION = [
  'test/{architecture,bench,cli,clients,crash,dashboard,docs,engine,examples,fuzz,kafka/broker,nestjs,operations,store/postgres,weight}/**/*.test.ts',
  'test/**/{batch,in-transaction,postgres}.test.ts',
  'test/adapter/{async-context,contract,example-adapters,once-each,own-adapters,store-health}.test.ts',
  'test/kafka/{confluent/worker,partition-feed,platformatic/worker}.test.ts',
  'test/testing/fake-queue.test.ts',
  'test/http/{crash,draft,hang-up,held-response,http2,http2-responses,node-sockets,once-each-request,peers,response-methods,same-answer,sockets,streaming,timeouts,wire}.test.ts',
  'test/http/frameworks/*.test.ts',
  'test/lambda/{deadline,kafka,poller,sqs}.test.ts',
  'test/migrations/{concurrent,embedded,locks,migrate,schema}.test.ts',
  'test/limits/limits.test.ts',
  'test/model/model.test.ts',
  'test/otel/spans.test.ts',
  'test/reporting/{adapters,check-store,printed}.test.ts',
  'test/simulation/{planted,seeds}.test.ts',
  'test/sqs/{batch,elasticmq,elasticmq-workers,fauxqs,health,room,silent-connections}.test.ts',
  'test/sqs-consumer/{in-hand,outcomes,queue}.test.ts',
  'test/store/{citus,endings,model,reply-timeout,take-backs}.test.ts',
  'test/support/{kafka,services}.test.ts',
  'test/webhook/once-each-webhook.test.ts',
];

/**
 * Files that replace or patch a module, which those that share theirs would see, or that count the timers, the warnings
 * or the channels' messages of their process, to which others add.
 */
const REPLACING = [
  'test/engine/no-leftovers.test.ts',
  'test/kafka/ask-admin.test.ts',
  'test/migrations/rolling-deploy.test.ts',
  'test/operations/walk-pace.test.ts',
  'test/otel/{aws-sdk,kafkajs,metrics,promql}.test.ts',
  'test/reporting/{channels,logger,rate}.test.ts',
  'test/sqs/{hanging-calls,stopping}.test.ts',
];

/** Of packages that are installed in a folder of the tests. */
const FOREIGN = ['**/node_modules/**'];

/** Files that use the whole machine, and judge what it does under that load: alone, after all others. */
const LOAD = ['test/engine/overload.test.ts'];

/** The core of Kafka's broker suite runs with each other client too, where this process can use it. */
const CORE =
  'test/kafka/broker/{batches,chaos,partitions,pauses,rebalance,start-positions,stop,topics}.test.ts';
const OTHER_CLIENTS = USABLE_CLIENTS.filter((client) => client !== 'kafkajs');

/** Of files that mostly wait. Projects of one group have the same number. */
const WAITING_WORKERS = 3 * availableParallelism() + 1;

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    pool: 'forks',
    // Files of one worker share what they import: loading it takes longer than most of the tests.
    isolate: false,
    // Files that did not change are not compiled again: the unit tests take a quarter less time. CI has two Nodes.
    experimental: { fsModuleCache: true },
    // Many tests make messages fail; what is printed then is tested in processes of their own.
    execArgv: ['--disable-warning=HandleOnceWarning', ...V8_FLAGS],
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
    // These end tests that hang, not those that a busy machine slows down.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...FOREIGN, ...REPLACING, ...INTEGRATION, ...LOAD],
          // Cases of the adapter contract wait for real time.
          maxConcurrency: 20,
          maxWorkers: availableParallelism(),
        },
      },
      {
        extends: true,
        test: {
          name: 'replacing',
          include: REPLACING,
          isolate: true,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: INTEGRATION,
          exclude: [...FOREIGN, ...REPLACING, ...LOAD],
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'load',
          include: LOAD,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      ...OTHER_CLIENTS.map((client) => ({
        extends: true as const,
        test: {
          name: client,
          include: [CORE],
          env: { KAFKA_CLIENT: client },
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 1 },
        },
      })),
    ],
  },
});
