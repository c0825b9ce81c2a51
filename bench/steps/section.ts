import type postgres from 'postgres';
import { type Comparison, comparisonsTo } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { type Done, OK } from '../core/done.ts';
import { ownContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredFresh, runners } from '../core/measured.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';

/** Of each message. */
const EFFECTS = ['summary', 'charge', 'mail'] as const;
const IN_FLIGHT = [10, 100];
const STEPS = 'attempt.step';

/** Handlers of three effects, with ways to know which of them have been done. */
export const steps: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql }) => {
    const contenders = [
      await inSteps(sql),
      await byChildKeys(sql),
      await inSideTable(sql),
      await unguarded(sql),
    ];
    for (const contender of contenders)
      await measureFresh(contender, { messages: sizes.fill / 10, inFlight: 100 });
    const comparisons: Comparison[] = [];
    for (const inFlight of IN_FLIGHT) {
      await sql`vacuum analyze`;
      const ready = await runners(contenders.map(measuredFresh), inFlight, sizes.secondsEach);
      comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), STEPS));
    }
    return { facts: { rounds: sizes.rounds, 'effects of each message': EFFECTS.length }, comparisons };
  });

/** Each has a schema of its own. */
function place(sql: postgres.Sql, schema: string) {
  let effects = 0;
  return {
    sql,
    schema,
    act: (): Promise<Done> => {
      effects += 1;
      return Promise.resolve(OK);
    },
    work: { name: 'three effects', done: () => Promise.resolve(effects / EFFECTS.length) },
  };
}

function inSteps(sql: postgres.Sql): Promise<Contender> {
  const { act, ...own } = place(sql, 'in_steps');
  return ownContender(STEPS, own, (handleOnce, key, payload) =>
    handleOnce(key, payload, async (_, { step }) => {
      for (const effect of EFFECTS) await step(effect, act);
      return OK;
    }),
  );
}

/** Each effect has a record of its own. */
function byChildKeys(sql: postgres.Sql): Promise<Contender> {
  const { act, ...own } = place(sql, 'by_child_keys');
  return ownContender('handleOnce under child keys', own, (handleOnce, key, payload) =>
    handleOnce(key, payload, async (_, attempt) => {
      for (const effect of EFFECTS) await handleOnce(attempt.childKey(effect), effect, act);
      return OK;
    }),
  );
}

/** Without a fence, and never purged. */
async function inSideTable(sql: postgres.Sql): Promise<Contender> {
  const { act, ...own } = place(sql, 'beside');
  await sql`create table effects_done (key text, effect text, result text, primary key (key, effect))`;
  return await ownContender('rows in a side table', own, (handleOnce, key, payload) =>
    handleOnce(key, payload, async () => {
      const done = await sql<
        { effect: string }[]
      >`select effect, result from effects_done where key = ${key}`;
      for (const effect of EFFECTS) {
        if (done.some((row) => row.effect === effect)) continue;
        const result = JSON.stringify(await act());
        await sql`insert into effects_done values (${key}, ${effect}, ${result}) on conflict do nothing`;
      }
      return OK;
    }),
  );
}

function unguarded(sql: postgres.Sql): Promise<Contender> {
  const { act, ...own } = place(sql, 'unguarded');
  return ownContender('no record of effects', own, (handleOnce, key, payload) =>
    handleOnce(key, payload, async () => {
      for (const _ of EFFECTS) await act();
      return OK;
    }),
  );
}
