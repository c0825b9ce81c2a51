import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../architecture/source-files.ts';

/** Where statements are, each with the `.sql` that the server gets beside it. */
const FOLDERS = [
  'src/postgres/statements',
  'src/store/postgres/statements',
  'src/history/statements',
  'adapters/operations/statements',
  'adapters/dashboard/statements',
];

/** The paths of the `.sql` files, by their names. */
export const STATEMENT_FILES: ReadonlyMap<string, string> = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.sql'))
      .map((name) => [name, join(root, folder, name)] as const),
  ),
);
