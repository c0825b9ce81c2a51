import { setImmediate as endOfTick } from 'node:timers/promises';
import type { ChainableCommander, Redis } from 'ioredis';
import type { Cache, Cached } from './cache.ts';
import { gatherTick } from './gather-tick.ts';

/** Longer than the benchmark uses a key. */
const EXPIRES_SECONDS = 600;

/**
 * A cache that all workers share. What is asked for in one tick is one MGET, and what is written in one tick is one
 * pipeline. Neither waits for an earlier reply, as the `enableAutoPipelining` of ioredis does.
 */
export function redisCache(redis: Redis): Cache {
  const read = gatherTick<string, string | null>((keys) => redis.mget(keys));
  let writes: ChainableCommander | undefined;

  function pipeline(): ChainableCommander {
    if (writes !== undefined) return writes;
    const opened = redis.pipeline();
    setImmediate(() => {
      writes = undefined;
      void opened.exec();
    });
    writes = opened;
    return opened;
  }

  return {
    async get(key) {
      const found = await read(nameOf(key));
      return found === null ? undefined : (JSON.parse(found) as Cached);
    },
    set(key, cached) {
      pipeline().set(nameOf(key), JSON.stringify(cached), 'EX', EXPIRES_SECONDS);
    },
    async serverCpu() {
      await endOfTick();
      return cpuOf(await redis.info('cpu'));
    },
  };
}

function nameOf(key: string): string {
  return `handle-once:bench:${key}`;
}

/** Its seconds of user and system, without those of children. */
function cpuOf(info: string): number {
  const seconds = Array.from(info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm), ([, value]) =>
    Number(value),
  );
  return seconds.reduce((sum, value) => sum + value, 0) * 1_000_000;
}
