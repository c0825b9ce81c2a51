import { InvalidOptionsError } from '../../../src/words/errors.ts';
import { run } from '../run.ts';
import { type ResolvedTables, tablesOf } from '../tables.ts';

/** Throws `InvalidOptionsError` where no record has the scope of dead letters that name none. Looks once. */
export type KnownScope = (scope: string) => Promise<void>;

/** With a mistyped scope no record is found, and copies would run beside the records of their messages. */
export function requireKnownScope(tables: ResolvedTables): KnownScope {
  let looking: Promise<void> | undefined;
  return (scope) => (looking ??= look(tables, scope));
}

async function look(tables: ResolvedTables, scope: string): Promise<void> {
  const { client, statements } = tablesOf(tables);
  const [row] = await run(client, statements.hasScope, [scope]);
  if (row?.[0] === 'true') return;
  const message =
    `is ${JSON.stringify(scope)}, and no record in schema ${tables.databaseSchema} has that scope. The dead letters name ` +
    'none themselves: sent under a wrong one, their messages would run again. None of them was sent. Compare the ' +
    'scope, and the schema, with what npx handle-once status prints';
  throw new InvalidOptionsError('redrive', [{ field: 'scope', message }]);
}
