import { createHandleOnce } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { expect, expectTypeOf, it } from 'vitest';
import { post, statusOf } from './support/bench.ts';

/**
 * A route handler of Next.js is a function of the request and its `params`, as `route.ts` exports it. That shape is
 * what is tested: Next.js itself is not installed.
 */
type RouteHandler = (
  request: Request,
  context: { readonly params: Promise<{ readonly id: string }> },
) => Response | Promise<Response>;

const POST = onceEachRequest(
  {
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'shop', onEvent: () => undefined }),
    route: '/orders/:id/capture',
    principal: (request: Request) => request.headers.get('authorization') ?? '',
  },
  async (request, attempt, { params }: { readonly params: Promise<{ readonly id: string }> }) => {
    const { id } = await params;
    const { cents } = (await request.json()) as { cents: number };
    return Response.json({ id, cents, number: attempt.number }, { status: 201 });
  },
);

it('the POST of a route of Next.js runs once, with its params', async () => {
  expectTypeOf(POST).toExtend<RouteHandler>();
  const capture = (id: string): Promise<Response> => {
    const sent = { path: `/orders/${id}/capture`, headers: { authorization: 'alice' } };
    return POST(post('a', sent), { params: Promise.resolve({ id }) });
  };
  const first = await capture('7');
  expect([first.status, await first.json()]).toEqual([201, { id: '7', cents: 995, number: 1 }]);
  expect(statusOf(await capture('7'))).toBe('replayed');
  expect((await capture('8')).status).toBe(422);
});
