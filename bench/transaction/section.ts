import type postgres from 'postgres';
import { type Comparison, comparisonsTo } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { createEffects } from '../core/effects.ts';
import { ownContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredFresh, runners } from '../core/measured.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';

const IN_FLIGHT = [1, 10, 100];
const IN_TRANSACTION = 'inTransaction';

/** Handlers that write to the records' own database: in one transaction with the record, or in one of their own. */
export const transaction: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql }) => {
    const contenders = [await inOneTransaction(sql), await inItsOwn(sql, true), await inItsOwn(sql, false)];
    for (const contender of contenders) {
      await measureFresh(contender, { messages: sizes.fill, inFlight: 100 });
    }
    const comparisons: Comparison[] = [];
    for (const inFlight of IN_FLIGHT) {
      await sql`vacuum analyze`;
      const ready = await runners(contenders.map(measuredFresh), inFlight, sizes.secondsEach);
      comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), IN_TRANSACTION));
    }
    return { facts: { rounds: sizes.rounds }, comparisons };
  });

async function inOneTransaction(sql: postgres.Sql): Promise<Contender> {
  const work = await createEffects(sql, 'one transaction');
  return await ownContender(IN_TRANSACTION, { sql, work, schema: 'one' }, (handleOnce, key, payload) =>
    handleOnce.inTransaction(key, payload, (_, __, tx) => work.insert(tx)),
  );
}

/**
 * The claim before and the settle after: with statements that concurrent calls share, or with statements of its own.
 */
async function inItsOwn(sql: postgres.Sql, batching: boolean): Promise<Contender> {
  const shared = batching ? 'shared' : 'unshared';
  const work = await createEffects(sql, `own transaction, ${shared}`);
  return await ownContender(
    `claim, transaction, settle (${shared} statements)`,
    { sql, work, schema: `own_${shared}`, options: { batching } },
    (handleOnce, key, payload) => handleOnce(key, payload, () => sql.begin((tx) => work.insert(tx))),
  );
}
