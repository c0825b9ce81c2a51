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
  MutantRunStatus,
  type TestRunner,
  type TestRunnerCapabilities,
} from '@stryker-mutator/api/test-runner';
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner';
import { isSeed, Seeds } from './seeds.ts';

/** Seeds of the simulation first, which find a mutant in milliseconds; then, for the others, the named tests. */
class SeedsThenTests implements TestRunner {
  readonly #seeds = new Seeds();
  readonly #tests: TestRunner | undefined;

  constructor(tests: TestRunner | undefined) {
    this.#tests = tests;
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    await this.#tests?.init?.();
    await this.#seeds.init();
  }

  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    const seeds = await this.#seeds.dryRun();
    const tests = await this.#tests?.dryRun(options);
    if (tests?.status !== DryRunStatus.Complete) return tests ?? seeds;
    return {
      status: DryRunStatus.Complete,
      tests: [...seeds.tests, ...tests.tests],
      mutantCoverage: {
        static: { ...seeds.mutantCoverage?.static, ...tests.mutantCoverage?.static },
        perTest: { ...seeds.mutantCoverage?.perTest, ...tests.mutantCoverage?.perTest },
      },
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter = [] } = options;
    const result = await this.#seeds.mutantRun({ ...options, testFilter: testFilter.filter(isSeed) });
    const others = testFilter.filter((test) => !isSeed(test));
    if (this.#tests === undefined || others.length === 0 || result.status !== MutantRunStatus.Survived)
      return result;
    return await this.#tests.mutantRun({ ...options, testFilter: others });
  }

  async dispose(): Promise<void> {
    await this.#tests?.dispose?.();
  }
}

function createRunner(injector: Injector<PluginContext>): TestRunner {
  const [vitest] = vitestPlugins;
  const hasTests = process.env['MUTATION_TESTS'] !== '';
  return new SeedsThenTests(hasTests && vitest ? injector.injectFunction(vitest.factory) : undefined);
}
createRunner.inject = tokens(commonTokens.injector);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'seeds-then-tests', createRunner)];
