import { createHandleOnce, type HandleOnce, type HandleOnceOptions } from '../../../src/index.ts';
import type { Store } from '../../../src/store.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { createMemoryStore } from '../../../testing/index.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';

export interface Bench {
  readonly store: Store;
  /** A `handleOnce` over the store, in a scope of its own unless one is given. */
  handleOnce(options?: Omit<HandleOnceOptions, 'scope' | 'schema'> & { scope?: string }): HandleOnce;
  /** Lets time pass in the store: leases lapse, backoffs end, records expire. */
  pass(milliseconds: number): Promise<void>;
}

export interface PostgresBench extends Bench {
  readonly database: TestDatabase;
  /** The record of a key, as it stands. Undefined when there is none. */
  record(scope: string, key: string): Promise<RecordRow | undefined>;
}

export interface RecordRow {
  readonly state: string;
  readonly owned: boolean;
  readonly token: string;
  readonly attempts: number;
  readonly failures: number;
  readonly deaths: number;
  readonly failed_reason: string | null;
  readonly result: string | null;
  readonly result_omitted: string | null;
  readonly error: string | null;
  /** Milliseconds until the lease, the backoff or the retention ends. */
  readonly live_ms: number;
}

/** Call it in a `describe`. */
export function usePostgresBench(): PostgresBench {
  const database = useDatabase();
  const { sql } = database;
  const store = createPostgresStore(sql, 'handle_once');
  return {
    database,
    store,
    handleOnce: factory(store),
    async pass(milliseconds) {
      await sql`
        update handle_once.records set live_until = live_until - ${milliseconds} * interval '1 millisecond'`;
    },
    async record(scope, key) {
      const [row] = await sql<RecordRow[]>`
        select state, owned, token, attempts, failures, deaths, failed_reason, result, result_omitted, error,
          (extract(epoch from live_until - clock_timestamp()) * 1000)::float8 as live_ms
        from handle_once.records
        where scope = ${scope} and key = ${key}`;
      return row;
    },
  };
}

/** For what depends on no store. Each keeps the contract of stores, so that the engine runs over one of them. */
export function memoryBench(): Bench {
  const store = createMemoryStore();
  return {
    store,
    handleOnce: factory(store),
    pass(milliseconds) {
      store.advance(milliseconds);
      return Promise.resolve();
    },
  };
}

function factory(store: Store): Bench['handleOnce'] {
  let scopes = 0;
  return (options) => {
    scopes += 1;
    return createHandleOnce({ store, scope: `scope-${scopes}`, ...options });
  };
}
