import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    adapter: 'src/adapter.ts',
    cli: 'adapters/cli/main.ts',
    clients: 'adapters/clients/index.ts',
    contracts: 'testing/contracts/index.ts',
    dashboard: 'adapters/dashboard/index.ts',
    envelopes: 'adapters/envelopes/index.ts',
    http: 'adapters/http/index.ts',
    kafka: 'adapters/kafka/index.ts',
    'kafka-confluent': 'adapters/kafka/confluent/index.ts',
    'kafka-platformatic': 'adapters/kafka/platformatic/index.ts',
    lambda: 'adapters/lambda/index.ts',
    nestjs: 'adapters/nestjs/index.ts',
    operations: 'adapters/operations/index.ts',
    otel: 'adapters/otel/index.ts',
    sqs: 'adapters/sqs/index.ts',
    store: 'src/store.ts',
    testing: 'testing/index.ts',
    webhook: 'adapters/webhook/index.ts',
  },
  platform: 'node',
  target: 'node20',
  // The package is ESM only: plain .js, not .mjs.
  fixedExtension: false,
  dts: true,
  sourcemap: true,
});
