import type postgres from 'postgres';
import { type Comparison, comparisonsTo } from '../compare.ts';
import { type Database, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import { bareContender } from '../pgbench/bare.ts';
import { ceilingContender } from '../pgbench/ceiling.ts';
import { findPgbench, type Pgbench } from '../pgbench/program.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import type { Contender } from './contender.ts';
import { startDbos } from './dbos.ts';
import { handleOnceContender, OURS } from './handle-once.ts';
import { measureFresh } from './measure.ts';
import { type Measured, measuredBoth, measuredFresh, runners } from './measured.ts';
import { TUTORIAL, tutorialContender } from './tutorial.ts';
import { createWork, WORK_NAMES } from './work.ts';

const FILL_IN_FLIGHT = 100;
/** What a slow contender may take of the fill. */
const DBOS_FILL = 500;

/** One message at a time, as a consumer hands them in. */
export const core: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async (database) => {
    const dbos = await startDbos(database.url);
    try {
      const own = await ownContenders(database.sql, sizes.fill);
      await dbos.contender('empty', false).measure(DBOS_FILL, FILL_IN_FLIGHT);
      const pgbench = await findPgbench();
      const servers = await pgbenchContenders(database, pgbench);
      const comparisons: Comparison[] = [];
      for (const handler of WORK_NAMES) {
        // A duplicate does not run its handler: one measure of duplicates is enough.
        const both = handler === 'empty';
        const contenders = [
          ...own.filter(({ work }) => work.name === handler).map(both ? measuredBoth : measuredFresh),
          dbos.contender(handler, both),
          ...(both ? servers : []),
        ];
        for (const inFlight of sizes.inFlight) {
          const able = contenders.filter(({ smallestInFlight = 1 }) => inFlight >= smallestInFlight);
          comparisons.push(...(await inSetting(database.sql, able, { handler, inFlight }, sizes)));
        }
      }
      return { facts: { rounds: sizes.rounds, pgbench: pgbench?.version ?? 'not found' }, comparisons };
    } finally {
      await dbos.stop();
    }
  });

/** Those of this process, with tables that are in use. */
async function ownContenders(sql: postgres.Sql, messages: number): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const name of WORK_NAMES) {
    contenders.push(
      await handleOnceContender(sql, await createWork(sql, name, OURS)),
      await tutorialContender(sql, await createWork(sql, name, TUTORIAL)),
    );
  }
  for (const contender of contenders.filter(({ work }) => work.name === 'empty')) {
    await measureFresh(contender, { messages, inFlight: FILL_IN_FLIGHT });
  }
  return contenders;
}

async function pgbenchContenders(database: Database, pgbench: Pgbench | undefined): Promise<Measured[]> {
  if (pgbench === undefined) return [];
  return [
    await bareContender(pgbench, database),
    await ceilingContender(pgbench, database, 10),
    await ceilingContender(pgbench, database, 50),
  ];
}

async function inSetting(
  sql: postgres.Sql,
  contenders: readonly Measured[],
  setting: { readonly handler: string; readonly inFlight: number },
  { rounds, secondsEach }: Sizes,
): Promise<Comparison[]> {
  await sql`vacuum analyze`;
  const ready = await runners(contenders, setting.inFlight, secondsEach);
  return comparisonsTo(setting, await interleave(ready, rounds), OURS);
}
