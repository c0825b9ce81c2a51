import { citusUrl, makeCitusTables } from '../../test/support/citus.ts';
import { NoServiceError } from '../../test/support/services/service.ts';
import { type Comparison, comparisonsTo } from '../compare.ts';
import { handleOnceContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredBoth, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { connect, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';

const CITUS = 'Citus';
const POSTGRES = 'PostgreSQL';

/** The same calls on the node of Citus that `TEST_CITUS_URL` names, in one scope, and on one PostgreSQL. */
export const citus: Section = async ({ postgresUrl, sizes }) => {
  if (citusUrl === undefined)
    throw new NoServiceError('set TEST_CITUS_URL to a node of Citus that holds shards');
  const distributed = connect(citusUrl);
  try {
    return await withDatabase(postgresUrl, async ({ sql }) => {
      await makeCitusTables(distributed);
      const clients = { [CITUS]: distributed, [POSTGRES]: sql };
      const contenders = await Promise.all(
        Object.entries(clients).map(async ([name, client]) => {
          const contender = await handleOnceContender(client, await createWork(client, 'empty', name));
          return { ...contender, name };
        }),
      );
      for (const one of contenders) await measureFresh(one, { messages: sizes.fill, inFlight: 100 });
      const [{ version }] = await distributed<[{ version: string }]>`select citus_version() as version`;
      const comparisons: Comparison[] = [];
      for (const inFlight of sizes.inFlight) {
        for (const client of Object.values(clients)) await client`vacuum analyze handle_once.records`;
        const ready = await runners(contenders.map(measuredBoth), inFlight, sizes.secondsEach);
        comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), CITUS));
      }
      await distributed`delete from handle_once.records where scope = 'bench'`;
      return { facts: { rounds: sizes.rounds, version: version.split(' on ')[0] ?? version }, comparisons };
    });
  } finally {
    await distributed.end();
  }
};
