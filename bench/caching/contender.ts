import { hash } from 'node:crypto';
import type { HandleOnce, Outcome } from 'handle-once';
import type postgres from 'postgres';
import type { Contender, Payload } from '../core/contender.ts';
import { ownContender } from '../core/handle-once.ts';
import { createWork } from '../core/work.ts';
import type { Costs } from '../costs.ts';
import type { Cache } from './cache.ts';
import { throughCache } from './through-cache.ts';

export interface CachingContender extends Contender {
  readonly cache: Cache | undefined;
  /** How many messages the cache has not answered. */
  readonly handed: () => number;
}

interface Place {
  readonly sql: postgres.Sql;
  readonly schema: string;
}

/** `handleOnce` behind a cache, or behind none. */
export async function cachingContender(
  name: string,
  { sql, schema }: Place,
  cache: Cache | undefined,
): Promise<CachingContender> {
  const work = await createWork(sql, 'empty', name);
  let handed = 0;

  function hand(handleOnce: HandleOnce, key: string, content: string): Promise<Outcome<unknown>> {
    handed += 1;
    return handleOnce(key, content, work.run);
  }

  const contender = await ownContender(name, { sql, work, schema }, (handleOnce, key, payload) => {
    const content = contentOf(payload);
    if (cache === undefined) return hand(handleOnce, key, content);
    return throughCache(cache, { key, content }, () => hand(handleOnce, key, content));
  });

  /** The CPU of the cache's server counts as the database's. */
  async function spent(): Promise<Costs> {
    const ofCache = (await cache?.serverCpu()) ?? 0;
    const costs = (await contender.spent?.()) ?? {};
    return costs.server === undefined ? costs : { ...costs, server: costs.server + ofCache };
  }

  return { ...contender, spent, cache, handed: () => handed };
}

/** A cache in the product would compare by the hash that the record has: so no contender hashes a payload twice. */
function contentOf(payload: Payload): string {
  return hash('sha256', JSON.stringify(payload), 'hex');
}
