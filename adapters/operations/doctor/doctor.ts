import * as z from 'zod/mini';
import { lazily } from '../../../src/lib/lazily.ts';
import { SchemaError, StoreError } from '../../../src/words/errors.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../../src/options/parse-options.ts';
import { sqlState } from '../../../src/postgres/error-layers.ts';
import { clientOf, tablesFields, type TablesOptions } from '../tables.ts';
import type { Check, Finding, Subject } from './finding.ts';
import { pooler, poolSize } from './connections.ts';
import { horizon } from './horizon.ts';
import { hotUpdates, indexes, storage } from './hot-updates.ts';
import { publications } from './publications.ts';
import { rights } from './rights.ts';
import { rowSecurity } from './row-security.ts';
import { schemaVersion } from './schema-version.ts';
import { clock, isolation, writes } from './session.ts';
import { tables } from './tables.ts';
import { deadRows, maintenance } from './upkeep.ts';

/** Options of `doctor`. */
export interface DoctorOptions extends TablesOptions {
  /** How many handlers run in transactions at once, to compare with the pool of `sql`. Default: it is not compared. */
  readonly concurrency?: number | undefined;
}

/** Checks of the client and its database. The first is made first: it has a client without prepared statements. */
const OF_CLIENT: Readonly<Record<string, Check>> = {
  pooler,
  'pool-size': poolSize,
  clock,
  isolation,
  writes,
};

/** Whether there are tables to work with. Where one of these finds a problem, there is nothing else to say of them. */
const OF_SCHEMA: Readonly<Record<string, Check>> = { 'schema-version': schemaVersion, tables };

/** Checks of the tables. */
const OF_TABLES: Readonly<Record<string, Check>> = {
  rights,
  'row-security': rowSecurity,
  publications,
  storage,
  indexes,
  'hot-updates': hotUpdates,
  'dead-rows': deadRows,
  horizon,
  maintenance,
};

const doctorOptions = lazily(() =>
  z.strictObject(
    { ...tablesFields(), concurrency: z.optional(wholeNumber('handlers', 1, 100_000)) },
    NOT_AN_OBJECT,
  ),
);

/**
 * Checks for what makes a worker slow or unsafe: one finding for each check, also for a check that finds nothing wrong.
 *
 * It checks a pooler and prepared statements, the size of the pool, the clock, the isolation and the durability of the
 * session, the version of the tables, missing columns and keys, the rights of the role, row level security,
 * publications, what keeps updates cheap (storage options, indexes, the share of HOT updates), dead rows, what holds
 * vacuum back, and maintenance. It only reads. A check that the role may not make gives a notice that says so. Pass the
 * client of your workers, so that their settings are checked.
 *
 * Throws `InvalidOptionsError`, and `StoreError` where the database cannot be asked.
 *
 * @example
 * ```ts
 * import { doctor } from 'handle-once/operations';
 *
 * const findings = await doctor({ sql, concurrency: 50 });
 * console.table(findings.filter(({ level }) => level !== 'ok'));
 * ```
 */
export async function doctor(options: DoctorOptions): Promise<readonly Finding[]> {
  const { databaseSchema, concurrency, ...rest } = parseOptions('doctor', doctorOptions(), options);
  const subject = { client: clientOf(rest), schema: databaseSchema, concurrency };
  const findings = await allOf(OF_CLIENT, subject);
  for (const [name, check] of Object.entries(OF_SCHEMA)) {
    const finding = await findingOf(name, check, subject);
    findings.push(finding);
    if (finding.level === 'problem') return findings;
  }
  return [...findings, ...(await allOf(OF_TABLES, subject))];
}

async function allOf(checks: Readonly<Record<string, Check>>, subject: Subject): Promise<Finding[]> {
  const findings: Finding[] = [];
  // One after the other: a pool may have one connection.
  for (const [name, check] of Object.entries(checks)) findings.push(await findingOf(name, check, subject));
  return findings;
}

async function findingOf(name: string, check: Check, subject: Subject): Promise<Finding> {
  try {
    return { check: name, ...(await check(subject)) };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { check: name, level: 'notice', found: `not checked: ${error.message}` };
  }
}

/** Classes of SQLSTATE for what this role may not ask, or this server does not have. */
const REFUSED = /^(?:0A|42)/;

function isRefused(error: unknown): error is Error {
  if (error instanceof SchemaError) return true;
  return error instanceof StoreError && REFUSED.test(sqlState(error) ?? '');
}
