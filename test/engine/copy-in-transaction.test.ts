import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import postgres, { type TransactionSql } from 'postgres';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { guardedSocket } from '../../adapters/clients/index.ts';
import { createHandleOnce, TerminalError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';

type Tx = TransactionSql;

const bench = usePostgresBench();
const { sql, url } = bench.database;

beforeAll(async () => {
  await sql`create table effects (id text not null)`;
  await sql`create table numbers (n int not null)`;
});

beforeEach(async () => {
  await sql`delete from effects`;
});

const ROWS = 200_000;
const COPY_OUT = `copy (select generate_series(1, ${ROWS})) to stdout`;
const COPY_IN = 'copy effects from stdin';

async function effects(): Promise<string[]> {
  return (await sql<{ id: string }[]>`select id from effects order by id`).map(({ id }) => id);
}

async function* slowRows(): AsyncGenerator<string> {
  for (let n = 0; n < 4; n += 1) {
    yield `row ${n}\n`;
    await sleep(50);
  }
}

/** Handles a message, and then another on the same connection. */
async function handled(isGuarded: boolean, handler: (tx: Tx) => Promise<unknown>) {
  const one = postgres(url, {
    ...{ fetch_types: false, max: 1, connection: { application_name: 'copying' } },
    ...(isGuarded && guardedSocket()),
  });
  onTestFinished(() => one.end({ timeout: 1 }));
  const options = { scope: `copy-${Math.random()}`, leaseMs: 5_000, backoff: () => 0 };
  const outside = createHandleOnce({ sql: one, ...options });
  const outcome = await outside.inTransaction('key', 'body', async (_, __, tx) => {
    await tx`insert into effects values ('mine')`;
    await handler(tx);
  });
  const after = await effects();
  const next = await outside.inTransaction(
    'next',
    'body',
    (_, __, tx) => tx`insert into effects values ('next')`,
  );
  expect(next).toMatchObject({ state: 'succeeded', attempts: 1 });
  await expect
    .poll(
      () => sql`select state from pg_stat_activity where application_name = 'copying' and state <> 'idle'`,
    )
    .toEqual([]);
  return { outcome, effects: after };
}

const OPEN = {
  ...{ state: 'pending', reason: 'released', attempts: 1 },
  error: {
    code: 'STORE',
    message: expect.stringContaining('a COPY of the transaction has not ended') as string,
  },
};

describe.each([{ isGuarded: false }, { isGuarded: true }])(
  'With guardedSocket $isGuarded',
  ({ isGuarded }) => {
    it.each<[string, (tx: Tx) => Promise<unknown>]>([
      [
        'is read in part',
        async (tx) => {
          for await (const chunk of await tx.unsafe(COPY_OUT).readable()) if (chunk !== undefined) break;
        },
      ],
      ['is not read', (tx) => tx.unsafe(COPY_OUT).readable()],
      ['is not read, nor made readable', (tx) => tx.unsafe(COPY_OUT)],
      [
        'is read beside the handler',
        async (tx) => {
          (await tx.unsafe(COPY_OUT).readable()).on('data', () => undefined);
        },
      ],
      [
        'is written beside the handler',
        async (tx) => {
          void pipeline(Readable.from(slowRows()), await tx.unsafe(COPY_IN).writable()).catch(
            () => undefined,
          );
        },
      ],
      [
        'is begun, and not awaited',
        async (tx) => {
          void tx.unsafe(COPY_IN).execute();
          await sleep(20);
        },
      ],
      [
        'is written in a savepoint',
        (tx) =>
          tx.savepoint(async (inner) => {
            (await inner.unsafe(COPY_IN).writable()).write('half\n');
          }),
      ],
      [
        'ends later',
        async (tx) => {
          const rows = await tx.unsafe(COPY_IN).writable();
          rows.write('half\n');
          setTimeout(() => rows.end(), 100);
        },
      ],
    ])('a handler whose COPY %s is rolled back', async (_, copy) => {
      const { outcome, effects: left } = await handled(isGuarded, copy);
      expect(outcome).toMatchObject(OPEN);
      expect(left).toEqual([]);
    });

    it('a handler commits with its COPY, when that has ended', async () => {
      const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
        let bytes = 0;
        for await (const chunk of await tx.unsafe(COPY_OUT).readable()) bytes += (chunk as Buffer).length;
        expect(bytes).toBeGreaterThan(ROWS);
        await pipeline(Readable.from(slowRows()), await tx.unsafe(COPY_IN).writable());
        const rows = await tx.unsafe(COPY_IN).writable();
        rows.end('last\n');
        await once(rows, 'finish');
        const other = (await tx`copy effects from stdin`) as unknown as Writable;
        other.end('other\n');
        await once(other, 'finish');
      });
      expect(outcome).toMatchObject({ state: 'succeeded' });
      expect(left).toEqual(['last', 'mine', 'other', 'row 0', 'row 1', 'row 2', 'row 3']);
    });

    it.each<[string, (tx: Tx, fail: (cause?: unknown) => never) => Promise<unknown>]>([
      [
        'in the middle of a COPY FROM',
        async (tx, fail) => {
          (await tx.unsafe(COPY_IN).writable()).write('half\n');
          fail();
        },
      ],
      [
        'and has destroyed its COPY FROM',
        async (tx, fail) => {
          const rows = await tx.unsafe(COPY_IN).writable();
          rows.write('half\n');
          rows.destroy();
          fail();
        },
      ],
      [
        'beside a COPY FROM',
        (tx, fail) =>
          Promise.all([
            sleep(20).then(() => fail()),
            tx
              .unsafe(COPY_IN)
              .writable()
              .then((rows) => pipeline(Readable.from(slowRows()), rows)),
          ]),
      ],
      [
        'and has not waited for its COPY FROM',
        async (tx, fail) => {
          void tx.unsafe(COPY_IN).execute();
          await nextTurn();
          fail();
        },
      ],
      [
        'in the middle of a COPY TO',
        async (tx, fail) => {
          for await (const chunk of await tx.unsafe(COPY_OUT).readable()) fail(chunk);
        },
      ],
      [
        'in a savepoint, in the middle of a COPY FROM',
        (tx, fail) =>
          tx.savepoint(async (inner) => {
            (await inner.unsafe(COPY_IN).writable()).write('half\n');
            fail();
          }),
      ],
    ])('the error counts of a handler that throws %s', async (_, handler) => {
      const { outcome, effects: left } = await handled(isGuarded, (tx) =>
        handler(tx, () => {
          throw new TerminalError('a bad row');
        }),
      );
      expect(outcome).toMatchObject({
        state: 'failed',
        error: { name: 'TerminalError', message: 'a bad row' },
      });
      expect(left).toEqual([]);
    });

    it('the client reads on after a COPY that has filled its stream at the end', async () => {
      const { outcome } = await handled(isGuarded, async (tx) => {
        for (let rows = 1; rows <= 20; rows += 1) {
          const wide = `select repeat('x', 8000) from generate_series(1, ${rows})`;
          const stream = await tx.unsafe(`copy (${wide}) to stdout`).readable();
          await sleep(5);
          let bytes = 0;
          for await (const chunk of stream) bytes += (chunk as Buffer).length;
          expect(bytes).toBe(rows * 8_001);
        }
      });
      expect(outcome).toMatchObject({ state: 'succeeded' });
    });

    it('a COPY whose last row the server refuses fails, and its handler', async () => {
      const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
        const rows = ['1\n', 'none\n'];
        await pipeline(Readable.from(rows), await tx.unsafe('copy numbers from stdin').writable());
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '22P02' } });
      expect(left).toEqual([]);
    });

    it.each([COPY_IN, COPY_OUT])(
      'a connection that breaks during %s ends the attempt, not the process',
      async (text) => {
        const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
          const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
          const stream = (await tx.unsafe(text)) as unknown as Readable | Writable;
          await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
          if (stream instanceof Readable) stream.resume();
          await expect.poll(() => stream.destroyed).toBe(true);
          if (stream instanceof Writable) stream.end('half\n');
        });
        expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
        expect(left).toEqual([]);
      },
    );

    it('a savepoint that throws in the middle of a COPY takes that back alone', async () => {
      const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
        const undone = tx.savepoint(async (inner) => {
          (await inner.unsafe(COPY_IN).writable()).write('half\n');
          throw new RangeError('undone');
        });
        await expect(undone).rejects.toThrow(RangeError);
      });
      expect(outcome).toMatchObject({ state: 'succeeded' });
      expect(left).toEqual(['mine']);
    });

    it('a COPY that has just left when the handler returns commits nothing without the record', async () => {
      const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
        void tx.unsafe(COPY_IN).execute();
        await nextTurn();
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
      expect(left).toEqual([]);
    });

    it('a COPY that waits behind another statement when the handler returns commits nothing without the record', async () => {
      const { outcome, effects: left } = await handled(isGuarded, async (tx) => {
        void tx`select pg_sleep(${0.2})`.execute();
        void tx.unsafe(COPY_IN).execute();
        await sleep(20);
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
      expect(left).toEqual([]);
    });
  },
);
