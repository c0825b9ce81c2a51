/**
 * Compares handleOnce with tutorial code, interleaved in one run on one database with durable commits.
 * `npm run bench`; `npm run bench -- --quick` for a short run. DATABASE_URL for a database of your own.
 */
import postgres from 'postgres';
import { startPostgres } from '../test/support/services/postgres.ts';
import type { Contender } from './contender.ts';
import { handleOnceContender } from './handle-once.ts';
import { type Figures, measure } from './measure.ts';
import { memoryOver } from './memory.ts';
import { spread } from './statistics.ts';
import { tutorialContender } from './tutorial.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 7;
const IN_FLIGHT = [1, 10, 100, 1_000];
const MEMORY_MESSAGES = quick ? 20_000 : 200_000;

/** Tables that are in use: an empty one gets plans that a real one would not. */
async function fill(contender: Contender): Promise<void> {
  await measure(contender, 10_000, 100);
}

async function compare(ours: Contender, theirs: Contender, inFlight: number): Promise<void> {
  const messages = (quick ? 500 : 2_000) * (inFlight === 1 ? 1 : 4);
  await measure(ours, messages / 10, inFlight);
  await measure(theirs, messages / 10, inFlight);
  const rounds: { ours: Figures; theirs: Figures }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({
      ours: await measure(ours, messages, inFlight),
      theirs: await measure(theirs, messages, inFlight),
    });
  }
  for (const kind of ['fresh', 'duplicates'] as const) {
    const ratio = spread(rounds.map((round) => round.ours[kind] / round.theirs[kind]));
    const rate = (who: 'ours' | 'theirs') =>
      Math.round(spread(rounds.map((round) => round[who][kind])).median);
    console.log(
      `| ${inFlight} | ${kind} | ${rate('ours')} | ${rate('theirs')} | ` +
        `${ratio.median.toFixed(2)}x (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}) |`,
    );
  }
}

const service = await startPostgres();
const database = `bench_${process.pid}`;
const admin = postgres(service.url, { max: 1, onnotice: () => undefined });
await admin`create database ${admin(database)}`;
const url = new URL(service.url);
url.pathname = `/${database}`;
const sql = postgres(url.href, { max: 10, onnotice: () => undefined });
try {
  const work = (): Promise<{ ok: true }> => Promise.resolve({ ok: true });
  const ours = await handleOnceContender(sql, work);
  const theirs = await tutorialContender(sql, work);
  await fill(ours);
  await fill(theirs);
  await sql`vacuum analyze`;
  const [{ durable }] = await sql<[{ durable: string }]>`
    select current_setting('synchronous_commit') || ', fsync ' || current_setting('fsync') as durable`;
  console.log(
    `Node ${process.version}, synchronous_commit ${durable}, ${ROUNDS} interleaved rounds, medians\n`,
  );
  console.log('| in flight | messages | handleOnce, msg/s | tutorial, msg/s | ratio (lowest to highest) |');
  console.log('|---|---|---|---|---|');
  for (const inFlight of IN_FLIGHT) await compare(ours, theirs, inFlight);
  const resident = await memoryOver(ours, MEMORY_MESSAGES, 10);
  console.log(`\nresident MiB over ${MEMORY_MESSAGES} messages, in tenths: ${resident.join(' ')}`);
} finally {
  await sql.end();
  await admin`drop database ${admin(database)} with (force)`;
  await admin.end();
  await service.stop();
}
