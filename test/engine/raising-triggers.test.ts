import { afterEach, expect, it } from 'vitest';
import { createHandleOnce, type HandleOnceEvent } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';

const { sql } = useDatabase();

/** A trigger that raises when a record becomes succeeded under one key. */
async function refuseToSettle(key: string, condition: string): Promise<void> {
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'not today' using errcode = '${condition}'; end $$;
    create trigger refuse before update on handle_once.records for each row
    when (new.key = '${key}' and new.state = 'succeeded') execute function refuse()`);
}

afterEach(async () => {
  await sql`drop function refuse cascade`;
});

it.each([
  ['P0001', 'raise_exception'],
  ['23514', 'check_violation'],
])(
  'a settle that is refused (%s) is not repeated, and the messages beside it are recorded',
  async (state, condition) => {
    await refuseToSettle('order-2', condition);
    const errors: HandleOnceEvent[] = [];
    const onEvent = (event: HandleOnceEvent) => event.type === 'store-error' && errors.push(event);
    const handleOnce = createHandleOnce({ sql, scope: state, onEvent });
    const together = gate();
    let started = 0;
    const outcomes = await Promise.all(
      ['order-1', 'order-2', 'order-3'].map((key) =>
        handleOnce(key, 'body', async () => {
          started += 1;
          if (started === 3) together.open();
          await together.opened;
        }),
      ),
    );
    expect(outcomes).toMatchObject([
      { state: 'succeeded' },
      { state: 'pending', reason: 'unrecorded' },
      { state: 'succeeded' },
    ]);
    // Once with its result, once without: nothing else can differ.
    expect(errors).toMatchObject([
      { verb: 'settle', key: 'order-2', error: { message: expect.stringContaining(state) as string } },
      { verb: 'settle', key: 'order-2' },
    ]);
  },
);
