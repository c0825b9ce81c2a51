import type postgres from 'postgres';
import { type Comparison, compareWithBase } from '../compare.ts';
import { handleOnceContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { type Measured, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import { fillRecords } from './fill.ts';
import { KEY_FORMS, type KeyForm } from './key-forms.ts';

const IN_FLIGHT = 100;

/** Tables with few and with very many records. */
export const size: Section = async ({ postgresUrl, sizes }) => {
  const comparisons: Comparison[] = [];
  const bytes: Record<string, string> = {};
  for (const form of KEY_FORMS) {
    const found = await compareSizes(postgresUrl, form, sizes);
    comparisons.push(found.comparison);
    bytes[`bytes of a record, keys ${form.name}`] = found.bytes;
  }
  return { facts: { rounds: sizes.rounds, inFlight: IN_FLIGHT, ...bytes }, comparisons };
};

/** All sizes of one form of key, side by side, so that their rounds can be interleaved. */
async function compareSizes(
  postgresUrl: string,
  form: KeyForm,
  sizes: Sizes,
): Promise<{ readonly comparison: Comparison; readonly bytes: string }> {
  return await withDatabase(postgresUrl, async ({ sql }) => {
    const tables: Measured[] = [];
    for (const records of sizes.tableRecords) {
      const schema = `of_${records}`;
      const contender = await handleOnceContender(sql, await createWork(sql, 'empty', schema), schema);
      await fillRecords(sql, schema, form, records);
      const keys = form.fresh(records);
      tables.push({
        name: nameOf(records),
        measure: (messages, inFlight) => measureFresh(contender, { messages, inFlight, keys }),
      });
    }
    const bytes = await bytesPerRecord(sql, Math.max(...sizes.tableRecords));
    await sql`checkpoint`;
    const ready = await runners(tables, IN_FLIGHT, sizes.secondsEach);
    const samples = (await interleave(ready, sizes.rounds)).get('fresh') ?? [];
    return { comparison: compareWithBase({ keys: form.name }, samples, nameOf(0)), bytes };
  });
}

/** Of the largest table, with the room that its fillfactor leaves. */
async function bytesPerRecord(sql: postgres.Sql, records: number): Promise<string> {
  const table = `of_${records}.records`;
  const [row] = await sql<[{ heap: number; indexes: number }]>`
    select pg_table_size(${table}::regclass)::float8 as heap, pg_indexes_size(${table}::regclass)::float8 as indexes`;
  const each = (bytes: number): string => (bytes / records).toFixed(0);
  return `${each(row.heap)} in the table, ${each(row.indexes)} in the index`;
}

function nameOf(records: number): string {
  return `${records.toLocaleString('en')} records`;
}
