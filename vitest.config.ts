import { defineConfig } from 'vitest/config';

// Its notice that Node 20 will not be supported for ever is printed by every process that loads the SDK.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Files that use a service or start processes. */
const INTEGRATION = [
  'test/{architecture,clients,crash,docs,engine,examples,kafka/broker,store/postgres}/**/*.test.ts',
  'test/**/{in-transaction,postgres}.test.ts',
  'test/lambda/poller.test.ts',
  'test/migrations/{concurrent,embedded,migrate,schema}.test.ts',
  'test/reporting/{adapters,check-store,printed}.test.ts',
  'test/sqs/{elasticmq,fauxqs,silent-connections}.test.ts',
  'test/sqs-consumer/{in-hand,outcomes,queue}.test.ts',
  'test/store/{endings,model}.test.ts',
  'test/support/{kafka,services}.test.ts',
];

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    pool: 'forks',
    // Many tests make messages fail; what is printed then is tested in processes of their own.
    execArgv: ['--disable-warning=HandleOnceWarning'],
    // The tests mostly wait for a database or a queue.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        // Files of one worker share what they import: loading it takes longer than the tests.
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: INTEGRATION, isolate: false },
      },
      {
        extends: true,
        test: { name: 'integration', include: INTEGRATION, globalSetup: ['test/support/global-setup.ts'] },
      },
    ],
  },
});
