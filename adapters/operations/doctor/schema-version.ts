import { deviationOf, unlistedDeviation } from '../../../src/migrations/deviation.ts';
import { foundVersion } from '../../../src/migrations/found-version.ts';
import { LATEST } from '../../../src/migrations/embedded.generated.ts';
import { missingTables } from '../../../src/migrations/missing-tables.ts';
import { fitOf } from '../../../src/migrations/version.ts';
import { toStoreError } from '../../../src/postgres/failure.ts';
import { ALL_TABLES } from '../../../src/postgres/shape.ts';
import { type Found, notice, ok, problem, type Subject } from './finding.ts';
import { tables } from './tables.ts';

/** The version of the tables, against the one that this code needs. */
export async function schemaVersion(subject: Subject): Promise<Found> {
  const { client, schema } = subject;
  const missing = await missingTables(client, schema);
  if (missing.length === ALL_TABLES.length)
    return problem(`there are no tables in schema ${schema}`, MIGRATE);
  if (missing.includes('migrations')) return await tables(subject);
  let version: number;
  try {
    version = await foundVersion(client, schema);
  } catch (error) {
    throw toStoreError(error, `"${schema}".migrations`, 'maintain');
  }
  const unlisted = await unlistedDeviation(client, schema, version);
  if (unlisted !== undefined) return problem(unlisted.says, unlisted.fix);
  const found = judged(version, schema);
  if (found.level === 'problem') return found;
  const deviation = await deviationOf(client, schema);
  return deviation === undefined ? found : notice(deviation.says, deviation.fix);
}

const MIGRATE = 'run npx handle-once migrate, or migrate(sql), with the same schema name';
const UPGRADE = 'upgrade the package handle-once';

function judged(version: number, schema: string): Found {
  const found = `the tables in schema ${schema} have version ${version}, but this code is made for ${LATEST}`;
  switch (fitOf(version)) {
    case 'current':
      return ok(`the tables have version ${version}, as this code needs`);
    case 'older':
      return problem(found, MIGRATE);
    case 'next':
      return notice(`${found}: it works with them, as in a rolling deploy`, UPGRADE);
    case 'too-new':
      return problem(found, UPGRADE);
  }
}
