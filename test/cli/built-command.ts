import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { beforeAll } from 'vitest';

/** Beside the packages that it imports. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/test-cli/', import.meta.url));

/**
 * The command as the package has it, built once for the calling file: a process of it starts in a fraction of the time
 * that its sources need. Gives its file.
 */
export function useBuiltCommand(): string {
  beforeAll(async () => {
    const entry = { cli: 'adapters/cli/main.ts' };
    await build({ entry, outDir: FOLDER, dts: false, sourcemap: false, logLevel: 'silent' });
  });
  return `${FOLDER}cli.js`;
}
