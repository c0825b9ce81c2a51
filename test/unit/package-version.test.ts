import { expect, test } from 'vitest';
import { PACKAGE_VERSION } from '../../src/lib/package-version.ts';
import { readFile } from 'node:fs/promises';

test('the version of the package is that of package.json', async () => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  expect(PACKAGE_VERSION).toBe((JSON.parse(manifest) as { version: string }).version);
});
