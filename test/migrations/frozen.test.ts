import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrations } from '../../src/migrations/embedded.generated.ts';

/** A line for each migration, as `sha256sum` writes it. */
const FROZEN = readFileSync(new URL('../golden/migrations.txt', import.meta.url), 'utf8');

test('no migration has changed since it was added', () => {
  const now = migrations.map(({ checksum, name }) => `${checksum}  ${name}\n`).join('');
  expect(
    now,
    'A migration has run in databases, and does not run there again: leave its file as it was, and add a new one ' +
      'with the next number. Add the line of a new file to test/golden/migrations.txt (sha256sum migrations/*.sql)',
  ).toBe(FROZEN);
});
