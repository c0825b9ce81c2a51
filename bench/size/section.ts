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
  for (const form of KEY_FORMS) comparisons.push(await compareSizes(postgresUrl, form, sizes));
  return { facts: { rounds: sizes.rounds, inFlight: IN_FLIGHT }, comparisons };
};

/** All sizes of one form of key, side by side, so that their rounds can be interleaved. */
async function compareSizes(postgresUrl: string, form: KeyForm, sizes: Sizes): Promise<Comparison> {
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
    await sql`checkpoint`;
    const ready = await runners(tables, IN_FLIGHT, sizes.secondsEach);
    const samples = (await interleave(ready, sizes.rounds)).get('fresh') ?? [];
    return compareWithBase({ keys: form.name }, samples, nameOf(0));
  });
}

function nameOf(records: number): string {
  return `${records.toLocaleString('en')} records`;
}
