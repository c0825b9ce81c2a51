import type postgres from 'postgres';
import { type Comparison, compareTo } from '../compare.ts';
import { type Database, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import { peers } from '../peers.ts';
import { bareContender } from '../pgbench/bare.ts';
import { ceilingContender } from '../pgbench/ceiling.ts';
import { findPgbench, type Pgbench } from '../pgbench/program.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import type { Contender } from './contender.ts';
import { handleOnceContender, OURS } from './handle-once.ts';
import { measureFresh } from './measure.ts';
import { type Measured, measuredBoth, measuredFresh, runners } from './measured.ts';
import { TUTORIAL, tutorialContender } from './tutorial.ts';
import { createWork, WORK_NAMES, type Work, type WorkName } from './work.ts';

const DBOS = 'DBOS';
/** What a slow contender may take of the fill. */
const DBOS_FILL = 500;

/** One message at a time, as a consumer hands them in. */
export const core: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async (database) => {
    const { sql, url } = database;
    const dbos = await (await peers.dbos()).startDbos(url, await worksOf(sql, DBOS));
    try {
      const all: Contender[] = [];
      for (const work of await worksOf(sql, OURS)) all.push(await handleOnceContender(sql, work));
      for (const work of await worksOf(sql, TUTORIAL)) all.push(await tutorialContender(sql, work));
      all.push(...dbos.contenders);
      const ofWork = (name: WorkName): Contender[] => all.filter(({ work }) => work.name === name);
      for (const contender of ofWork('empty')) {
        const messages = contender.name === DBOS ? DBOS_FILL : sizes.fill;
        await measureFresh(contender, { messages, inFlight: 100 });
      }
      const pgbench = await findPgbench();
      const servers = await pgbenchContenders(database, pgbench);
      const comparisons: Comparison[] = [];
      for (const name of WORK_NAMES) {
        const contenders =
          name === 'empty'
            ? [...ofWork(name).map(measuredBoth), ...servers]
            : ofWork(name).map((contender) => measuredFresh(contender));
        for (const inFlight of sizes.inFlight) {
          const able = contenders.filter(({ smallestInFlight = 1 }) => inFlight >= smallestInFlight);
          comparisons.push(...(await inSetting(sql, able, { handler: name, inFlight }, sizes)));
        }
      }
      return { facts: { rounds: sizes.rounds, pgbench: pgbench?.version ?? 'not found' }, comparisons };
    } finally {
      await dbos.stop();
    }
  });

async function worksOf(sql: postgres.Sql, contender: string): Promise<Work[]> {
  return await Promise.all(WORK_NAMES.map((name) => createWork(sql, name, contender)));
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
  const samples = await interleave(await runners(contenders, setting.inFlight, secondsEach), rounds);
  return [...samples].map(([kind, ofKind]) => compareTo({ ...setting, messages: kind }, ofKind, OURS));
}
