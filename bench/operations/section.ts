import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type postgres from 'postgres';
import { built } from '../built.ts';
import { type Comparison, comparisonsTo } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { ownContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { type Measured, measuredFresh, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { connect, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';

const IN_FLIGHT = [10, 100];
const OFF = 'off';
/** How often maintenance walks: by default once an hour, and as often as it can. */
const OPERATED: Readonly<Record<string, number | undefined>> = { on: undefined, walking: 1_000 };
/** As many times the rounds of other sections: a few per cent matter here. */
const MORE_ROUNDS = 3;

/** What it costs to see: counts in the database, a subscriber to every event, and maintenance. */
export const operations: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql, url }) => {
    const contenders: Contender[] = [];
    for (const name of [OFF, ...Object.keys(OPERATED)]) contenders.push(await contender(sql, name));
    for (const one of contenders) await measureFresh(one, { messages: sizes.fill, inFlight: 100 });
    const rounds = sizes.rounds * MORE_ROUNDS;
    const comparisons: Comparison[] = [];
    for (const inFlight of IN_FLIGHT) {
      await sql`vacuum analyze`;
      const measured = contenders.map((one) => (one.name === OFF ? measuredFresh(one) : operated(one, url)));
      const ready = await runners(measured, inFlight, sizes.secondsEach);
      comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, rounds), OFF));
    }
    return { facts: { rounds }, comparisons };
  });

async function contender(sql: postgres.Sql, name: string): Promise<Contender> {
  const work = await createWork(sql, 'empty', name);
  return await ownContender(
    name,
    { sql, work, schema: name, options: { stats: name !== OFF } },
    (handleOnce, key, payload) => handleOnce(key, payload, work.run),
  );
}

function operated(one: Contender, url: string): Measured {
  const { name, measure } = measuredFresh(one);
  return {
    name,
    async measure(messages, inFlight) {
      const { startMaintenance } = await built.operations();
      const walker = connect(url);
      await walker`select`;
      const maintenance = startMaintenance({ sql: walker, databaseSchema: name, everyMs: OPERATED[name] });
      const listen = (): void => undefined;
      subscribe('handle-once:core', listen);
      try {
        return await measure(messages, inFlight);
      } finally {
        unsubscribe('handle-once:core', listen);
        await maintenance.stop();
        await walker.end();
      }
    },
  };
}
