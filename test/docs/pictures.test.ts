import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RAW } from '../../website/stage/places.ts';
import { root } from '../architecture/source-files.ts';
import { documents, textOf } from './documents.ts';

test('every picture that a page shows is in the repository', () => {
  const shown = documents().flatMap((page) =>
    Array.from(textOf(page).matchAll(/https:\/\/raw\.githubusercontent\.com\/[^\s)"']+/g), ([url]) => ({
      page,
      url,
    })),
  );
  expect(shown.length).toBeGreaterThan(0);
  const missing = shown.filter(
    ({ url }) => !url.startsWith(RAW) || !existsSync(join(root, url.slice(RAW.length))),
  );
  expect(missing).toEqual([]);
});
