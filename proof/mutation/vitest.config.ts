import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { givenFolder } from './folder.ts';

const code = givenFolder().read('code');
/** What it keeps in a mutant would stay in those after it. */
const LAZILY = '/src/lib/lazily.ts';
const EACH_TIME = 'export const lazily = (make) => make;';
const common = { ...base.test };
delete common.projects;
delete common.sequence;

export default defineConfig({
  ...base,
  plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => (id.endsWith(LAZILY) ? EACH_TIME : code[id]) }],
  test: {
    ...common,
    include: ['proof/mutation/{cover,try-mutants}.ts'],
    reporters: [{}],
    // It does not see what the plugin loads.
    experimental: { fsModuleCache: false },
    // One test after the other: what each of them reaches is known only while no other runs.
    maxConcurrency: 1,
    // A mutant that hangs is found by then.
    testTimeout: 10_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 5_000, interval: 20 } },
  },
});
