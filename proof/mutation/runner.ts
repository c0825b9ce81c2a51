import {
  commonTokens,
  declareFactoryPlugin,
  type Injector,
  PluginKind,
  tokens,
  type PluginContext,
} from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner';
import { isSeed, Seeds } from './seeds.ts';

/** Seeds of the simulation first, which find a mutant in milliseconds; then, for those left, the unit tests. */
class SeedsThenTests implements TestRunner {
  readonly #seeds = new Seeds();
  readonly #tests: TestRunner;

  constructor(tests: TestRunner) {
    this.#tests = tests;
  }

  capabilities(): ReturnType<TestRunner['capabilities']> {
    return this.#tests.capabilities();
  }

  async init(): Promise<void> {
    await this.#tests.init?.();
    await this.#seeds.init();
  }

  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    const result = await this.#tests.dryRun(options);
    if (result.status !== DryRunStatus.Complete) return result;
    const { tests, mutantCoverage } = await this.#seeds.dryRun();
    return {
      status: DryRunStatus.Complete,
      tests: [...tests, ...result.tests],
      mutantCoverage: {
        static: { ...mutantCoverage.static, ...result.mutantCoverage?.static },
        perTest: { ...mutantCoverage.perTest, ...result.mutantCoverage?.perTest },
      },
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter = [] } = options;
    const seeds = await this.#seeds.mutantRun(testFilter.filter(isSeed), options);
    const tests = testFilter.filter((test) => !isSeed(test));
    const isFound = seeds.some(({ status }) => status === TestStatus.Failed);
    if (isFound || tests.length === 0)
      return toMutantRunResult({ status: DryRunStatus.Complete, tests: seeds });
    return await this.#tests.mutantRun({ ...options, testFilter: tests });
  }

  async dispose(): Promise<void> {
    await this.#tests.dispose?.();
  }
}

function createRunner(injector: Injector<PluginContext>): TestRunner {
  const [vitest] = vitestPlugins;
  if (vitest === undefined) throw new Error('The runner of vitest is not there.');
  return new SeedsThenTests(injector.injectFunction(vitest.factory));
}
createRunner.inject = tokens(commonTokens.injector);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'seeds-then-tests', createRunner)];
