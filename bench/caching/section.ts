import { Redis } from 'ioredis';
import type postgres from 'postgres';
import { startRedis } from '../../test/support/services/redis.ts';
import { type Comparison, compareWithBase, withCosts } from '../compare.ts';
import { runners } from '../core/measured.ts';
import { connect, withDatabase } from '../database.ts';
import { startDelayingProxy } from '../delay/delaying-proxy.ts';
import { roundTripMs, selectMs } from '../delay/round-trip.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import { cachingContender } from './contender.ts';
import { lruCache } from './lru.ts';
import { type Mixed, mixed } from './measure.ts';
import { redisCache } from './redis.ts';

const NO_CACHE = 'no cache';
/** Of all messages, how many are redeliveries. */
const SHARES = [0, 0.01, 0.1, 0.5];
const LEAST_IN_FLIGHT = 10;
/** More than are delivered again. */
const LRU_ENTRIES = 100_000;
/** As many times the rounds of other sections: a few per cent matter here. */
const MORE_ROUNDS = 3;

/** What a cache in front of `handleOnce` gains, with a network of 1 ms to Postgres and to Redis. */
export const caching: Section = async ({ postgresUrl, sizes }) => {
  const server = await startRedis();
  const proxy = startDelayingProxy();
  try {
    return await withDatabase(postgresUrl, async (database) => {
      const sql = connect(await proxy.wayTo(database.url));
      const redis = new Redis(await proxy.wayTo(server.url));
      try {
        const rounds = sizes.rounds * MORE_ROUNDS;
        const facts = {
          rounds,
          Redis: await versionOf(redis),
          'SELECT 1 without the delay, ms': await selectMs(database.sql),
          'SELECT 1 with the delay, ms': await selectMs(sql),
          'PING with the delay, ms': await roundTripMs(() => redis.ping()),
        };
        return { facts, comparisons: await compareCaches(sql, redis, { ...sizes, rounds }) };
      } finally {
        await redis.quit();
        await sql.end();
      }
    });
  } finally {
    proxy.stop();
    await server.stop();
  }
};

async function compareCaches(sql: postgres.Sql, redis: Redis, sizes: Sizes): Promise<Comparison[]> {
  const contenders = await filledContenders(sql, redis, sizes.fill);
  const comparisons: Comparison[] = [];
  for (const inFlight of sizes.inFlight.filter((count) => count >= LEAST_IN_FLIGHT)) {
    for (const share of SHARES) {
      await sql`vacuum analyze`;
      const measured = contenders.map(({ withDuplicates }) => withDuplicates(share));
      const ready = await runners(measured, inFlight, sizes.secondsEach);
      const rates = await interleave(ready, sizes.rounds);
      const setting = { duplicates: `${share * 100} %`, inFlight };
      const comparison = compareWithBase(setting, rates.get('mixed') ?? [], NO_CACHE);
      comparisons.push(withCosts(comparison, rates, 'mixed'));
    }
  }
  return comparisons;
}

/** Each with tables of its own, which are in use, and a cache that is warm. */
async function filledContenders(sql: postgres.Sql, redis: Redis, messages: number): Promise<Mixed[]> {
  const contenders = [
    await cachingContender(NO_CACHE, { sql, schema: 'no_cache' }, undefined),
    await cachingContender('LRU in process', { sql, schema: 'lru' }, lruCache(LRU_ENTRIES)),
    await cachingContender('Redis', { sql, schema: 'redis' }, redisCache(redis)),
  ].map(mixed);
  for (const { withDuplicates } of contenders) await withDuplicates(0).measure(messages, 100);
  return contenders;
}

async function versionOf(redis: Redis): Promise<string> {
  return /^(?:valkey|redis)_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
}
