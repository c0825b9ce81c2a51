import { InvalidOptionsError } from 'handle-once';
import { createDashboard, type DashboardOptions } from 'handle-once/dashboard';
import { expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { ADDRESS, ALICE, dashboardFor, get, SECRET } from './support/visit.ts';

const { sql } = useDatabase();
const dashboard = dashboardFor(ALICE, { sql });

test('without authorize it is not made', () => {
  const make = (options: object) => () => createDashboard(options as DashboardOptions);
  expect(make({ sql })).toThrow(InvalidOptionsError);
  expect(make({ sql })).toThrow(/authorize: must be a function .* without it anyone could read the records/);
  expect(make({ sql, authorize: () => ALICE, actions: { secret: 'short' } })).toThrow(
    /actions\.secret: must be a string of at least 32/,
  );
  expect(make({ sql, authorize: () => ALICE, actions: {} })).toThrow(/actions\.secret/);
  expect(make({ sql, authorize: () => ALICE, basePath: '/' })).toThrow(/basePath: is not an option/);
});

test('a visitor that authorize does not know sees nothing', async () => {
  const closed = createDashboard({ sql, authorize: () => undefined });
  for (const query of ['', 'view=messages', 'view=overview&format=json']) {
    const { response, text } = await get(closed, query);
    expect(response.status).toBe(403);
    expect(text).toMatch(/You may not see this dashboard/);
  }
});

test('what authorize answers is sent as it is', async () => {
  const login = createDashboard({ sql, authorize: () => Response.redirect('http://queue.test/login', 302) });
  const { response } = await get(login);
  expect(response.headers.get('location')).toBe('http://queue.test/login');
});

test.each<[what: string, visitor: unknown]>([
  ['without a name', {}],
  ['with an empty name', { name: '' }],
  ['with a long name', { name: 'x'.repeat(201) }],
  ['whose rights are a text', { name: 'bob', rights: 'contractor' }],
  ['with an unknown right', { name: 'bob', rights: ['admin'] }],
  ['whose rights are null', { name: 'bob', rights: null }],
  ['that is a function', () => 1],
])('a visitor %s is a mistake', async (_, visitor) => {
  const odd = createDashboard({ sql, authorize: () => visitor as typeof ALICE });
  await expect(odd(new Request(ADDRESS))).rejects.toThrow(
    /authorize must return \{ name, rights \} or undefined/,
  );
});

test('what authorize throws is thrown', async () => {
  const broken = createDashboard({ sql, authorize: () => Promise.reject(new Error('no session')) });
  await expect(broken(new Request(ADDRESS))).rejects.toThrow('no session');
});

test('every answer keeps the browser from running, keeping and passing on', async () => {
  const answers = [
    ...['', 'view=messages', 'view=nothing', 'view=style.css', 'format=json'].map((query) =>
      get(dashboard, query),
    ),
    get(createDashboard({ sql, authorize: () => undefined })),
  ];
  for (const { response } of await Promise.all(answers)) {
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
  }
});

test('no page has a script, or a style of its own', async () => {
  for (const view of ['overview', 'messages', 'failures', 'health', 'audit']) {
    const { text } = await get(dashboard, `view=${view}`);
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
  }
});

test('the style sheet is small', async () => {
  const { text } = await get(dashboard, 'view=style.css');
  expect(Buffer.byteLength(text)).toBeLessThan(8_000);
});

test('a page is read again where its address says so, unless it has a form that changes something', async () => {
  const refresh = async (query: string, visitor = ALICE) =>
    (await get(dashboardFor(visitor, { sql }), query)).response.headers.get('refresh');
  expect(await refresh('view=overview&refresh=5')).toBe('5');
  expect(await refresh('view=overview&refresh=0')).toBeNull();
  expect(await refresh('view=message&scope=s&key=k&refresh=5')).toBeNull();
  expect(await refresh('view=message&scope=s&key=k&refresh=5', { name: 'bob' })).toBe('5');
});

test('other methods are refused', async () => {
  const response = await dashboard(new Request(ADDRESS, { method: 'DELETE' }));
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
});

test('without records each page says what to do first', async () => {
  const { text } = await get(dashboard);
  expect(text).toMatch(/no walk of maintenance has ended.*npx handle-once maintain/s);
  expect(text).toMatch(/stats: true/);
  expect((await get(dashboard, 'view=failures')).text).toMatch(/No attempt ended badly in this time/);
  expect((await get(dashboard, 'view=audit')).text).toMatch(/No record was retried or forgotten/);
  expect(SECRET.length).toBeGreaterThanOrEqual(32);
});
