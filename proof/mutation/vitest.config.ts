import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** They load the machine, start processes, or compare texts. */
const NOT_RUN = [
  '**/node_modules/**',
  'test/engine/{many-in-flight,no-leftovers,overload,server-crash,slow-settles}.test.ts',
  'test/kafka/{ask-admin,broker/**,confluent/worker,platformatic/worker}.test.ts',
  'test/operations/walk-pace.test.ts',
  'test/sqs/{elasticmq,fauxqs,hanging-calls,room,silent-connections,stopping}.test.ts',
  'test/store/{citus.test.ts,postgres/{forms,plans,purge-plan,rendered,statements,storm}.test.ts}',
];

/** Those that end soon first: the first that fails ends the run. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed();
  }
}

const common = { ...base.test };
delete common.projects;

/** One test after the other: what each of them runs is known only while no other test runs. */
export default defineConfig({
  ...base,
  test: {
    ...common,
    include: (process.env['MUTATION_TESTS'] ?? '').split(','),
    exclude: NOT_RUN,
    globalSetup: ['test/support/global-setup.ts'],
    maxConcurrency: 1,
    // A mutant that hangs is found by then.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    expect: { poll: { timeout: 8_000, interval: 20 } },
    sequence: { sequencer: ShortestFirst },
  },
});
