import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import {
  type CompleteDryRunResult,
  determineHitLimitReached,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import type * as simulation from '../simulation/run-seeds.ts';

const SEEDS = 40;
const PREFIX = 'seed ';

declare global {
  /** What the mutated code reads. */
  var __stryker__: InstrumenterContext | undefined;
}

export function isSeed(test: string): boolean {
  return test.startsWith(PREFIX);
}

/** Each seed of the simulation is a test. They run in this process, one after the other, with any mutant. */
export class Seeds {
  readonly #context: InstrumenterContext = (globalThis.__stryker__ ??= {});
  #simulation: typeof simulation | undefined;
  /** It would have ended a worker's process. */
  #unhandled: string | undefined;

  async init(): Promise<void> {
    // Vitest's own ends the process.
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => (this.#unhandled ??= `unhandled: ${String(error)}`));
    // The mutated one: Stryker has made its copy of the project the working directory.
    const { href } = pathToFileURL(resolve('proof/simulation/run-seeds.ts'));
    this.#simulation = (await import(href)) as typeof simulation;
  }

  async dryRun(): Promise<CompleteDryRunResult> {
    const tests: TestResult[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      this.#context.currentTestId = PREFIX + String(seed);
      tests.push(await this.#run(PREFIX + String(seed)));
    }
    const { mutantCoverage = { static: {}, perTest: {} } } = this.#context;
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  /** Up to the first seed that fails. */
  async mutantRun({ testFilter = [], activeMutant, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    Object.assign(this.#context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const tests: TestResult[] = [];
    for (const seed of testFilter) {
      tests.push(await this.#run(seed));
      if (tests.at(-1)?.status === TestStatus.Failed) break;
    }
    delete this.#context.activeMutant;
    const timeout = determineHitLimitReached(this.#context.hitCount, hitLimit);
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests });
  }

  async #run(id: string): Promise<TestResult> {
    const startedAt = performance.now();
    const failureMessage = await this.#failure(Number(id.slice(PREFIX.length)));
    const timeSpentMs = performance.now() - startedAt;
    const result = { id, name: id, timeSpentMs };
    return failureMessage === undefined
      ? { ...result, status: TestStatus.Success }
      : { ...result, status: TestStatus.Failed, failureMessage };
  }

  async #failure(seed: number): Promise<string | undefined> {
    this.#unhandled = undefined;
    try {
      const { failure } = (await this.#simulation?.runSeeds(seed, 1)) ?? {};
      return failure ? this.#simulation?.toLine(failure) : this.#unhandled;
    } catch (error) {
      return String(error);
    }
  }
}
