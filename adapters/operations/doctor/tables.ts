import { missingFix, missingTables, missingText } from '../../../src/migrations/missing-tables.ts';
import { ALL_TABLES, type Fault, faultsOf } from '../../../src/postgres/shape.ts';
import { type Found, notice, ok, problem, type Subject } from './finding.ts';

/** Without these no message is handled. */
export const OF_HANDLING: readonly string[] = ['records', 'migrations'];

/** Tables that were dropped, and what others have lost. Older tables are found by their version. */
export async function tables(subject: Subject): Promise<Found> {
  const { client, schema } = subject;
  const missing = await missingTables(client, schema);
  const faults = await faultsOf(client, schema, ALL_TABLES);
  const found = [
    ...(missing.length === 0 ? [] : [lacking(missing, schema)]),
    ...(faults.length === 0 ? [] : [broken(faults, schema)]),
  ];
  return found.length === 0 ? ok('all exist, with their columns and keys') : both(found);
}

/** As grave as the gravest. */
function both(found: readonly Found[]): Found {
  const level = found.some((one) => one.level === 'problem') ? 'problem' : 'notice';
  const join = (texts: readonly (string | undefined)[]) => texts.join('; and ');
  return { level, found: join(found.map((one) => one.found)), fix: join(found.map(({ fix }) => fix)) };
}

function broken(faults: readonly Fault[], schema: string): Found {
  const gravest = faults.find(({ table }) => table === 'records');
  const found = `in schema ${schema} ${faults.map(({ says }) => says).join('; ')}`;
  const fix = `${(gravest ?? faults[0])?.fix}${faults.length > 1 ? ', and correct the others in the same way' : ''}`;
  return (gravest === undefined ? notice : problem)(found, fix);
}

function lacking(missing: readonly string[], schema: string): Found {
  const found = missingText(missing, schema);
  const fix = missingFix(missing, schema);
  if (!missing.some((name) => OF_HANDLING.includes(name))) {
    return notice(`${found}: messages are handled, but maintenance or the history of attempts fails`, fix);
  }
  return problem(`${found}: no message is handled`, fix);
}
