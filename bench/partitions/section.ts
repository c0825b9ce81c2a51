import type postgres from 'postgres';
import { type Comparison, compareWithBase, withCosts } from '../compare.ts';
import { handleOnceContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { type Measured, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { type Database, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { fillRecords } from '../size/fill.ts';
import { KEY_FORMS, type KeyForm } from '../size/key-forms.ts';
import type { Sizes } from '../sizes.ts';

const IN_FLIGHT = [1, 100];
const ONE_TABLE = 'one table';
const PARTITIONED = '16 hash partitions';
const PARTITIONS = 16;
/** The keys whose index is busy everywhere, and those whose index is busy at its end alone. */
const FORMS = KEY_FORMS.filter(({ name }) => name !== 'timeOrderedKey');

/** One table, and the same records by hash of `scope, key` in partitions. */
export const partitions: Section = async ({ postgresUrl, sizes }) => {
  const comparisons: Comparison[] = [];
  for (const form of FORMS) {
    comparisons.push(...(await withDatabase(postgresUrl, (database) => comparedBy(form, database, sizes))));
  }
  return { facts: { rounds: sizes.rounds, records: sizes.partitionedRecords }, comparisons };
};

async function comparedBy(form: KeyForm, { sql }: Database, sizes: Sizes): Promise<Comparison[]> {
  const tables = [
    await filled(ONE_TABLE, 'whole', form, sql, sizes),
    await filled(PARTITIONED, 'parts', form, sql, sizes),
  ];
  await sql`checkpoint`;
  const comparisons: Comparison[] = [];
  for (const inFlight of IN_FLIGHT) {
    const measured = await interleave(await runners(tables, inFlight, sizes.secondsEach), sizes.rounds);
    const setting = { keys: form.name, inFlight };
    const comparison = compareWithBase(setting, measured.get('fresh') ?? [], ONE_TABLE);
    comparisons.push(withCosts(comparison, measured, 'fresh'));
  }
  return comparisons;
}

async function filled(
  name: string,
  schema: string,
  form: KeyForm,
  sql: postgres.Sql,
  { partitionedRecords: records }: Sizes,
): Promise<Measured> {
  const contender = await handleOnceContender(sql, await createWork(sql, 'empty', schema), schema);
  if (name === PARTITIONED) await partition(sql, schema);
  await fillRecords(sql, schema, form, records);
  const keys = form.fresh(records);
  return {
    name,
    measure: (messages, inFlight) => measureFresh(contender, { messages, inFlight, keys }),
  };
}

/** As docs/partition.sql does, without the pages that it keeps: these tables are full. */
async function partition(sql: postgres.Sql, schema: string): Promise<void> {
  await sql.unsafe(`
    alter table ${schema}.records rename to plain;
    alter table ${schema}.plain rename constraint records_pkey to plain_pkey;
    create table ${schema}.records (like ${schema}.plain including defaults,
      constraint records_pkey primary key (scope, key)) partition by hash (scope, key);
    drop table ${schema}.plain`);
  for (let number = 0; number < PARTITIONS; number += 1) {
    await sql.unsafe(`
      create table ${schema}.records_${number} partition of ${schema}.records
      for values with (modulus ${PARTITIONS}, remainder ${number})
      with (fillfactor = 50, vacuum_truncate = off)`);
  }
  await sql.unsafe(
    `create index records_created_at on ${schema}.records using brin (created_at) with (autosummarize = on)`,
  );
}
