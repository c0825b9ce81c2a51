import { createHandleOnce } from 'handle-once';
import { type HttpEvent, onceEachRequest } from 'handle-once/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { issuesOf } from '../support/issues-of.ts';
import { endless, post, statusOf } from './support/bench.ts';

describe('In a transaction', () => {
  const { sql } = useDatabase();
  const base = () =>
    ({
      handleOnce: createHandleOnce({ sql, scope: 'api', onEvent: () => undefined }),
      route: '/orders',
      principal: null,
      inTransaction: true,
    }) as const;

  beforeAll(async () => {
    await sql`create table orders (body text not null)`;
  });
  const orders = async (): Promise<number> => (await sql`select 1 from orders`).length;

  it('what the handler writes commits with its answer, and not with one that is released', async () => {
    const answers = [503, 201];
    const send = onceEachRequest(base(), async (request, _attempt, tx) => {
      await tx`insert into orders values (${await request.text()})`;
      return new Response('done', { status: answers.shift() ?? 500 });
    });
    expect((await send(post('a'))).status).toBe(503);
    expect(await orders()).toBe(0);
    expect((await send(post('a'))).status).toBe(201);
    expect(await orders()).toBe(1);
    expect(statusOf(await send(post('a')))).toBe('replayed');
    expect(await orders()).toBe(1);
  });

  it('a conflict runs the handler again, with a body that is unread', async () => {
    await sql`truncate orders`;
    let conflicts = 2;
    const bodies: string[] = [];
    const send = onceEachRequest(base(), async (request, _attempt, tx) => {
      bodies.push(await request.text());
      await tx`insert into orders values ('b')`;
      if (conflicts-- > 0) await tx`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`;
      return new Response('done');
    });
    expect((await send(post('b', { body: 'payload' }))).status).toBe(200);
    expect(bodies).toEqual(['payload', 'payload', 'payload']);
    expect(await orders()).toBe(1);
  });

  it('the answer of an attempt that was rolled back does not reach the client', async () => {
    const send = onceEachRequest(base(), async (_request, attempt, tx) => {
      await tx`insert into orders values ('c')`;
      // Another worker takes over while it runs.
      await sql`update handle_once.records set token = gen_random_uuid() where key = ${attempt.key}`;
      return new Response('done', { status: 201 });
    });
    const response = await send(post('c'));
    expect([response.status, statusOf(response)]).toEqual([503, 'lease-lost']);
  });

  it('the answer of an attempt whose COMMIT was refused does not reach the client', async () => {
    await sql`create table customers (id int primary key)`;
    await sql`
      create table bills (customer int references customers deferrable initially deferred)
    `;
    const events: HttpEvent[] = [];
    const onEvent = (event: HttpEvent) => events.push(event);
    const send = onceEachRequest({ ...base(), onEvent }, async (_request, _attempt, tx) => {
      await tx`insert into bills values (1)`;
      return new Response('done', { status: 201 });
    });
    const refused = await send(post('e'));
    expect([refused.status, statusOf(refused)]).toEqual([503, 'released']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(events).toMatchObject([{ type: 'released', status: 503, error: { code: '23503' } }]);
    await sql`insert into customers values (1)`;
    const retry = await send(post('e'));
    expect([retry.status, statusOf(retry)]).toEqual([201, 'stored']);
    expect(await sql`select 1 from bills`).toHaveLength(1);
  });

  it('an answer that its client does not get is cancelled', async () => {
    const cancelled = gate();
    const send = onceEachRequest(base(), async (_request, attempt) => {
      await sql`update handle_once.records set token = gen_random_uuid() where key = ${attempt.key}`;
      return new Response(endless(cancelled.open), { status: 502 });
    });
    const response = await send(post('f'));
    expect([response.status, statusOf(response)]).toEqual([503, 'lease-lost']);
    await cancelled.opened;
  });

  it('the answer of a run whose COMMIT lost a conflict is cancelled', async () => {
    await sql`create table payments (cents int)`;
    await sql`create sequence commits`;
    await sql`
      create function conflict_once() returns trigger language plpgsql as $$
      begin
        if nextval('commits') = 1 then raise exception 'conflict' using errcode = '40001'; end if;
        return null;
      end $$
    `;
    await sql`
      create constraint trigger conflicts after insert on payments deferrable initially deferred
      for each row execute function conflict_once()
    `;
    const cancelled: number[] = [];
    let runs = 0;
    const send = onceEachRequest(base(), async (_request, _attempt, tx) => {
      runs += 1;
      const run = runs;
      await tx`insert into payments values (1)`;
      return new Response(endless(() => cancelled.push(run)));
    });
    const response = await send(post('g'));
    expect([response.status, statusOf(response), runs]).toEqual([200, 'stored', 2]);
    await expect.poll(() => cancelled).toEqual([1]);
    await response.body?.cancel();
    expect(cancelled).toEqual([1, 2]);
  });

  it('what a handler returns once its transaction was given up is cancelled', async () => {
    const [released, givenUp, cancelled] = [gate(), gate(), gate()];
    const handleOnce = createHandleOnce({
      sql,
      scope: 'api',
      timeoutMs: 50,
      onEvent: ({ type }) => {
        if (type === 'unrecorded') givenUp.open();
      },
    });
    const send = onceEachRequest({ ...base(), handleOnce }, async () => {
      await released.opened;
      return new Response(endless(cancelled.open));
    });
    expect(statusOf(await send(post('h')))).toBe('timed-out');
    await givenUp.opened;
    released.open();
    await cancelled.opened;
  });

  it('other methods are answered 405, and a key cannot be optional', async () => {
    const send = onceEachRequest(base(), () => new Response('done'));
    const response = await send(post('d', { method: 'GET' }));
    expect([response.status, statusOf(response)]).toEqual([405, 'method-not-allowed']);
    expect(response.headers.get('allow')).toBe('POST, PATCH');
    const issues = issuesOf(() => onceEachRequest({ ...base(), required: false }, () => new Response()));
    expect(issues).toMatchObject([{ field: 'required' }]);
  });
});
