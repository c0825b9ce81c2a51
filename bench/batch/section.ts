import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { built } from '../built.ts';
import { type Comparison, comparisonsTo } from '../compare.ts';
import type { Contender, Payload } from '../core/contender.ts';
import { ownContender } from '../core/handle-once.ts';
import { expectCount, payloadOf } from '../core/measure.ts';
import { type Measured, runners } from '../core/measured.ts';
import { type CostMeter, costMeter, costOfEach, costsAsRates } from '../costs.ts';
import { withDatabase } from '../database.ts';
import { interleave, type Rates } from '../interleave.ts';
import type { Section } from '../section.ts';
import { createRows, type Rows } from './rows.ts';

/** Messages in flight, in batches of the size. */
const IN_FLIGHT = 100;
const SIZES = [100, 10];
const BATCH = 'inTransaction.batch';
/** Of so many messages one throws in a batch, and when it is alone. */
const BAD_EVERY = [100, 10];

/** Handlers that are one INSERT of many rows, in one transaction with the records of their messages. */
export const batch: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql }) => {
    const comparisons: Comparison[] = [];
    for (const size of SIZES) {
      const contenders = [
        await batches(sql, size),
        await single(sql, size),
        await bare(sql, size),
        ...(await Promise.all(BAD_EVERY.map((every) => batches(sql, size, every)))),
      ];
      for (const { measure } of contenders) await measure(sizes.fill / 10, IN_FLIGHT);
      await sql`vacuum analyze`;
      const ready = await runners(contenders, IN_FLIGHT, sizes.secondsEach);
      const setting = { 'in flight': IN_FLIGHT, 'batches of': size, transaction: 'yes', client: 'postgres' };
      comparisons.push(...comparisonsTo(setting, await interleave(ready, sizes.rounds), BATCH));
    }
    return { facts: { rounds: sizes.rounds }, comparisons };
  });

class BadMessageError extends Error {}

async function batches(sql: postgres.Sql, size: number, badEvery = Infinity): Promise<Measured> {
  const rows = await createRows(sql);
  const { createHandleOnce, migrate } = await built.core();
  const schema = `batch_${size}_${badEvery}`;
  await migrate(sql, { schema });
  const handleOnce = createHandleOnce({ sql, scope: 'bench', databaseSchema: schema, logger: SILENT });
  const name = badEvery === Infinity ? BATCH : `${BATCH}, 1 of ${badEvery} throws`;
  let made = 0;

  async function handle(payloads: readonly (Payload & { readonly isBad: boolean })[]): Promise<void> {
    const entries = payloads.map((payload) => ({ key: payload.orderId, payload }));
    const outcomes = await handleOnce.inTransaction.batch(entries, async (some, _, tx) => {
      await rows.insert(tx, some);
      if (some.some(({ isBad }) => isBad)) throw new BadMessageError();
    });
    const wrong = outcomes.findIndex(
      ({ state }, index) => (state === 'succeeded') === (payloads[index]?.isBad ?? false),
    );
    if (wrong >= 0) throw new Error(`${name}: message ${wrong} is ${outcomes[wrong]?.state}`);
  }

  return {
    name,
    measure: (messages, inFlight) =>
      measured({ name, rows, spent: costMeter(sql), size, inFlight, handle }, messages, () => {
        made += 1;
        return { ...payloadOf(randomUUID()), isBad: made % badEvery === 0 };
      }),
  };
}

/** Each message in a transaction of its own. */
async function single(sql: postgres.Sql, size: number): Promise<Measured> {
  const rows = await createRows(sql);
  const place = { sql, work: { name: 'one INSERT', done: rows.count }, schema: `single_${size}` };
  const contender: Contender = await ownContender('inTransaction', place, (handleOnce, key, payload) =>
    handleOnce.inTransaction(key, payload, async (order, _, tx) => {
      await rows.insert(tx, [order]);
    }),
  );
  const handle = ([payload]: readonly Payload[]) =>
    payload === undefined ? Promise.resolve() : contender.handle(payload.orderId, payload);
  return {
    name: contender.name,
    measure: (messages, inFlight) =>
      measured({ ...contender, rows, spent: costMeter(sql), size: 1, inFlight, handle }, messages, fresh),
  };
}

/** The same INSERT of many rows, and no record of its messages. */
async function bare(sql: postgres.Sql, size: number): Promise<Measured> {
  const rows = await createRows(sql);
  const name = 'the INSERT alone, no dedupe';
  const handle = (payloads: readonly Payload[]) => rows.insert(sql, payloads);
  return {
    name,
    measure: (messages, inFlight) =>
      measured({ name, rows, spent: costMeter(sql), size, inFlight, handle }, messages, fresh),
  };
}

const fresh = (): Payload & { readonly isBad: boolean } => ({ ...payloadOf(randomUUID()), isBad: false });

interface Course {
  readonly name: string;
  readonly rows: Rows;
  readonly spent: Promise<CostMeter>;
  readonly size: number;
  readonly inFlight: number;
  readonly handle: (payloads: readonly (Payload & { readonly isBad: boolean })[]) => Promise<void>;
}

/** Fails unless each good message has one row. */
async function measured(
  { name, rows, spent, size, inFlight, handle }: Course,
  count: number,
  make: () => Payload & { readonly isBad: boolean },
): Promise<Rates> {
  const payloads = Array.from({ length: count }, make);
  const pending = chunks(payloads, size)[Symbol.iterator]();
  const meter = await spent;
  const rowsBefore = await rows.count();
  const before = await meter();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight / size }, async () => {
      for (const some of pending) await handle(some);
    }),
  );
  const rate = count / ((performance.now() - startedAt) / 1_000);
  const costs = costOfEach(before, await meter(), count);
  const good = payloads.filter(({ isBad }) => !isBad).length;
  expectCount({ name }, 'done', (await rows.count()) - rowsBefore, good);
  return { fresh: rate, ...costsAsRates('fresh', costs) };
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** Each message that throws would be a line. */
const SILENT = { debug: noop, info: noop, warn: noop, error: noop };

function noop(): void {
  // Says nothing.
}
