import type postgres from 'postgres';

/** A record as it is given to a test. */
export interface Given {
  readonly scope?: string;
  readonly key?: string;
  readonly state?: string;
  readonly owned?: boolean;
  readonly liveForMs?: number;
  readonly ageMs?: number;
  /** JSON text, or what is none. */
  readonly error?: string | null;
}

/** Writes records beside `handleOnce`: in any state, of any age. */
export function recordsIn(sql: postgres.Sql) {
  return async ({
    scope = 'billing',
    key = 'k',
    state = 'succeeded',
    owned = false,
    liveForMs = 60_000,
    ageMs = 0,
    error = null,
  }: Given): Promise<void> => {
    await sql`
      insert into handle_once.records
        (scope, key, token, fingerprint, state, owned, attempts, failures, deaths, live_until, created_at,
        failed_reason, result, error)
      values (${scope}, ${key}, gen_random_uuid(), '', ${state}, ${owned}, 3, 2, 1,
        now() + ${liveForMs} * interval '1 millisecond', now() - ${ageMs} * interval '1 millisecond',
        ${state === 'failed' ? 'terminal' : null}, ${state === 'succeeded' ? '{"card":"41111"}' : null}, ${error})`;
  };
}
