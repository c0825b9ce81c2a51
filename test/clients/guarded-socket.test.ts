import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fromPg, guardedSocket } from '../../adapters/clients/index.ts';
import { createHandleOnce, type HandleOnce, type SqlClient } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { type TlsFront, tlsFront } from '../support/tls-front.ts';

const { url } = useDatabase();
const OPTIONS = { max: 2, fetch_types: false, onnotice: () => undefined } as const;

function at(port: number): string {
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return through.href;
}

function useProxy(): () => TcpProxy {
  let proxy: TcpProxy;
  beforeAll(async () => {
    const { hostname, port } = new URL(url);
    proxy = await tcpProxy({ host: hostname, port: Number(port) });
  });
  afterAll(() => proxy.cut());
  return () => proxy;
}

/** Handles messages until one succeeds. All that fail must say that they can be sent again. */
async function recovers(handleOnce: HandleOnce): Promise<void> {
  let calls = 0;
  await expect
    .poll(
      async () => {
        calls += 1;
        return handleOnce(`call-${calls}`, {}, () => 1).then(
          ({ state }) => state,
          (error: unknown) => error,
        );
      },
      { timeout: 30_000 },
    )
    .toBe('succeeded');
}

describe('After its connections fall silent a pool works again', () => {
  const proxy = useProxy();

  const cases: [string, () => { client: SqlClient; close: () => Promise<unknown> }][] = [
    [
      'of postgres, with a guarded socket',
      () => {
        const client = postgres(at(proxy().port), { ...OPTIONS, ...guardedSocket({ unansweredMs: 1_500 }) });
        return { client, close: () => client.end({ timeout: 1 }) };
      },
    ],
    [
      'of pg, with query_timeout',
      () => {
        const connectionString = at(proxy().port);
        const pool = new pg.Pool({ connectionString, max: 2, query_timeout: 1_500, keepAlive: true });
        pool.on('error', () => undefined);
        return { client: fromPg(pool), close: () => pool.end() };
      },
    ],
  ];

  test.each(cases)('%s', async (_, open) => {
    const { client, close } = open();
    onTestFinished(async () => {
      await close();
    });
    const handleOnce = createHandleOnce({ sql: client, scope: 'silent', leaseMs: 5_000 });
    const keys = Array.from({ length: 20 }, (__, index) => `key-${index}`);
    await Promise.all(keys.map((key) => handleOnce(key, {}, () => 1)));
    proxy().silence();
    await recovers(handleOnce);
    await Promise.all(keys.map((key) => handleOnce(key, {}, () => expect.fail('it ran again'))));
  });
});

describe('A guarded socket', () => {
  const proxy = useProxy();

  test('leaves a connection open that is idle for longer than an answer may take', async () => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const pid = () => sql`select pg_backend_pid() as pid`;
    const before = await pid();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await pid()).toEqual(before);
  });

  test('ends a statement that takes longer, and the next one works', async () => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await expect(sql`select pg_sleep(10)`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('ends what waits behind an answered statement when the connection falls silent', async () => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql`select 1`;
    const first = sql`select 1 as one`.execute();
    const behind = expect(sql`select pg_sleep(0.2)`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await first).toEqual([{ one: 1 }]);
    proxy().silence();
    await behind;
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test.each(['reset', 'end'] as const)(
    'leaves every place of the pool in use when connections break in transactions: %s',
    async (how) => {
      const sql = postgres(at(proxy().port), { ...OPTIONS, ...guardedSocket() });
      onTestFinished(() => sql.end({ timeout: 1 }));
      const handleOnce = createHandleOnce({ sql, scope: `breaks by ${how}`, onEvent: () => undefined });
      for (let count = 0; count < 12; count += 1) {
        const outcome = await handleOnce.inTransaction(`${count}`, {}, async (_, __, tx) => {
          await tx`select 1`;
          proxy().breakAt('select 2', how);
          await tx`select 2`;
        });
        expect(outcome.state).toBe('pending');
      }
      const asked = [1, 2].map((number) => sql`select ${number}::int as number, pg_sleep(0.1)`);
      expect((await Promise.all(asked)).map(([row]) => row?.['number'] as unknown)).toEqual([1, 2]);
    },
  );

  test('leaves a copy open whose client takes its time, to the server and from it', async () => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql`create temporary table lines (line text)`;
    const into = await sql`copy lines from stdin`.writable();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    into.write('x'.repeat(999) + '\n');
    into.end();
    await finished(into);
    const out = await sql`copy (select line from lines, generate_series(1, 4000)) to stdout`.readable();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    let bytes = 0;
    for await (const chunk of out) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(4_000_000);
  });

  test.each([
    ['first', 0],
    ['second', 1],
  ])('ends a cursor when the connection falls silent in the middle of its %s batch', async (_, before) => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql`select 1`;
    // Rows that are long enough to be sent one by one.
    const rows = sql`select repeat('x', 20000), pg_sleep(0.05) from generate_series(1, 60)`;
    let batches = 0;
    const reading = async (): Promise<void> => {
      const silence = (): void => {
        setTimeout(() => {
          proxy().silence();
        }, 300);
      };
      if (before === 0) silence();
      for await (const batch of rows.cursor(20)) {
        expect(batch).toHaveLength(20);
        batches += 1;
        if (batches === before) silence();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(batches).toBe(before);
  });

  test.each(['reset', 'end'] as const)(
    'ends a transaction of the caller whose connection breaks (%s), and keeps its place',
    async (how) => {
      const sql = postgres(at(proxy().port), { ...OPTIONS, ...guardedSocket() });
      onTestFinished(() => sql.end({ timeout: 1 }));
      for (let round = 0; round < 3; round += 1) {
        proxy().breakAt('caller', how);
        const begun = sql.begin(async (tx) => {
          await tx`select 'caller'`;
          await tx`select 'not reached'`;
        });
        await expect(begun).rejects.toMatchObject({
          code: expect.stringMatching(/CONNECTION_CLOSED|ECONNRESET/) as string,
        });
      }
      const pids = await Promise.all(
        ['a', 'b'].map(() => sql`select pg_backend_pid() as pid, pg_sleep(0.2)`),
      );
      expect(new Set(pids.map(([row]) => row?.['pid'] as unknown)).size).toBe(2);
    },
  );

  test('takes the answer that came while the process was frozen', async () => {
    const sql = postgres(at(proxy().port), { ...OPTIONS, max: 1, ...guardedSocket({ unansweredMs: 1_500 }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql`select 1`;
    const answer = sql`select pg_sleep(1), 1 as one`.execute();
    await new Promise((resolve) => setTimeout(resolve, 200));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await answer).toMatchObject([{ one: 1 }]);
  });

  test('gives a server that refuses connections as the error, each time', async () => {
    const sql = postgres('postgres://a@127.0.0.1:1/b', { ...OPTIONS, ...guardedSocket() });
    onTestFinished(() => sql.end({ timeout: 1 }));
    for (let tries = 0; tries < 4; tries += 1) {
      await expect(sql`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  test('refuses options that it does not have', () => {
    expect(() => guardedSocket({ unansweredMs: 1 })).toThrow(/guardedSocket: unansweredMs: /);
  });
});

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate of a host, signed by itself. */
function certificateOf(host: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const files = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-days', '1', ...files, ...subject], { stdio: 'ignore' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}

describe('Over TLS a guarded socket', () => {
  async function connect(host = 'localhost'): Promise<{ front: TlsFront; sql: postgres.Sql }> {
    const certificate = certificateOf(host);
    const { hostname, port } = new URL(url);
    const front = await tlsFront({ host: hostname, port: Number(port) }, certificate);
    const through = new URL(url);
    through.host = `localhost:${front.port}`;
    const guarded = guardedSocket({ unansweredMs: 1_500, ssl: { ca: certificate.cert } });
    const sql = postgres(through.href, { ...OPTIONS, max: 1, ...guarded });
    onTestFinished(async () => {
      await sql.end({ timeout: 1 });
      await front.stop();
    });
    return { front, sql };
  }

  test('works, and works again after the connection falls silent', async () => {
    const { front, sql } = await connect();
    const large = 'x'.repeat(1_000_000);
    expect(await sql`select ${large}::text as text`).toEqual([{ text: large }]);
    front.silence();
    await expect(sql`select 1 as one`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('works again after a handshake has failed', async () => {
    const { front, sql } = await connect();
    front.refuse(true);
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(sql`select 1`).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
    front.refuse(false);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('refuses a certificate of another host', async () => {
    const { sql } = await connect('elsewhere.example');
    await expect(sql`select 1`).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test('gives a server without TLS as the error, each time', async () => {
    const sql = postgres(url, { ...OPTIONS, ...guardedSocket({ ssl: true }) });
    onTestFinished(() => sql.end({ timeout: 1 }));
    for (let tries = 0; tries < 4; tries += 1) {
      await expect(sql`select 1`).rejects.toMatchObject({ code: 'TLS_REFUSED' });
    }
  });

  test('refuses TLS of the client, which it cannot guard, and never goes without', async () => {
    const sql = postgres(`${url}?sslmode=require`, { ...OPTIONS, ...guardedSocket() });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await expect(sql`select 1`).rejects.toMatchObject({
      code: 'TLS_NOT_GUARDED',
      message: expect.stringContaining('give ssl to guardedSocket') as string,
    });
  });
});
