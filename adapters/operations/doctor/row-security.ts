import { RIGHTS } from '../../../src/postgres/rights.ts';
import { hiddenFix, hiddenTables, hiddenText } from '../../../src/postgres/row-security.ts';
import { andOthers, type Found, notice, ok, problem, type Subject } from './finding.ts';

/** Whether row level security hides rows from the role of the client. */
export async function rowSecurity({ client, schema }: Subject): Promise<Found> {
  const ofWorkers = await hiddenTables(client, schema, RIGHTS.handle, false);
  const ofMaintenance = await hiddenTables(client, schema, RIGHTS.maintain, true);
  const hidden = [
    ...ofWorkers,
    ...ofMaintenance.filter(({ table }) => !ofWorkers.some((other) => other.table === table)),
  ];
  const [first] = hidden;
  if (first === undefined) return ok('hides no table from this role');
  const isProblem = hidden.some(({ table }) => table === 'records');
  return (isProblem ? problem : notice)(
    `${hiddenText(hidden)}: ${isProblem ? 'no message is handled' : 'maintenance, or the history of attempts, fails'}`,
    `${hiddenFix(schema, first.table)}${andOthers(hidden.length)}`,
  );
}
