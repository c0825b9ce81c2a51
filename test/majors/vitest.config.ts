import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The tests as they are, with what test/majors/package.json names from there. */
export default defineConfig({
  ...base,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: {
    ...base.resolve,
    alias: Object.keys(dependencies).map((name) => ({
      find: new RegExp(`^${name}$`),
      // As resolve.mjs has it, which the process was started with.
      replacement: fileURLToPath(import.meta.resolve(name)),
    })),
  },
});
