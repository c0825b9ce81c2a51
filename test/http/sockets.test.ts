import { randomBytes } from 'node:crypto';
import { createHandleOnce, retention } from 'handle-once';
import { onceEachRequest, type RequestHandler, type RequestOptions } from 'handle-once/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { fetchListener } from './support/fetch-listener.ts';
import { hangUp, send, serve, told } from './support/server.ts';

describe('A Fetch handler behind node:http, on PostgreSQL', () => {
  const { sql } = useDatabase();

  beforeAll(async () => {
    await sql`create table charges (cents int not null)`;
  });

  function listen(handler: RequestHandler, options: Partial<RequestOptions> = {}): Promise<string> {
    const handleOnce = createHandleOnce({
      sql,
      scope: 'api',
      ...retention.payment,
      onEvent: () => undefined,
    });
    const base = { handleOnce, route: '/orders', principal: null };
    return serve(fetchListener(onceEachRequest({ ...base, ...options }, handler)));
  }

  async function charge(request: Request): Promise<Response> {
    const { cents } = (await request.json()) as { cents: number };
    await sql`insert into charges select ${cents} from pg_sleep(0.2)`;
    return Response.json({ cents }, { status: 201, headers: { location: '/orders/1' } });
  }

  it('runs one of forty requests at once on two servers, and replays the next', async () => {
    const urls = [await listen(charge), await listen(charge)] as const;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => send(urls[n % 2 === 0 ? 0 : 1], '"a"', { body: '{"cents":1}' })),
    );
    const ran = answers.filter((answer) => told(answer)[1] === 'stored');
    expect(ran).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body).toEqual(ran[0]?.body);
      else expect([told(answer), answer.headers['retry-after']]).toEqual([[409, 'in-flight'], '1']);
    }
    const replay = await send(urls[1], 'a', { body: '{"cents":1}' });
    expect([told(replay), replay.body, replay.headers.location]).toEqual([
      [201, 'replayed'],
      ran[0]?.body,
      '/orders/1',
    ]);
    expect(await sql`select 1 from charges where cents = 1`).toHaveLength(1);
    const rows = await sql`select scope, key from handle_once.records`;
    expect(rows).toEqual([{ scope: 'api>http:POST%20%2Forders', key: '-:a' }]);
  });

  it('answers all of them alike where duplicates wait', async () => {
    const url = await listen(charge, { waitMs: 20_000 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(url, 'b', { body: '{"cents":2}' })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.toString()}`)).size).toBe(1);
    expect(await sql`select 1 from charges where cents = 2`).toHaveLength(1);
  });

  it('runs a handler to its end whose client hangs up, and gives the retry its answer', async () => {
    const [started, released] = [gate(), gate()];
    let runs = 0;
    const url = await listen(async (request, attempt) => {
      runs += 1;
      started.open();
      await released.opened;
      await until(() => request.signal.aborted);
      expect(attempt.signal.aborted).toBe(false);
      return new Response('done', { status: 201 });
    });
    await hangUp(url, 'c', started.opened);
    expect(told(await send(url, 'c'))).toEqual([409, 'in-flight']);
    released.open();
    await expect.poll(async () => told(await send(url, 'c'))).toEqual([201, 'replayed']);
    expect(runs).toBe(1);
  });

  it('refuses a key that was sent twice', async () => {
    const url = await listen(() => new Response('no'));
    expect(told(await send(url, ['d', 'd']))).toEqual([400, 'malformed-key']);
  });

  it('takes and gives any bytes', async () => {
    const body = randomBytes(20_000);
    const url = await listen(async (request) => new Response(await request.arrayBuffer()));
    expect((await send(url, 'e', { body })).body).toEqual(body);
    const replay = await send(url, 'e', { body });
    expect([told(replay), replay.body]).toEqual([[200, 'replayed'], body]);
    expect(told(await send(url, 'e', { body: randomBytes(20_000) }))).toEqual([422, 'mismatch']);
  });
});
