import type { InstrumenterContext } from '@stryker-mutator/api/core';

declare global {
  /** What the mutated code reads, and counts in. */
  var __stryker__: InstrumenterContext | undefined;
}

export const context = (globalThis.__stryker__ ??= {});
