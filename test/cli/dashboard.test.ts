import { createHandleOnce } from 'handle-once';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { type Ended, useCommand } from './run-command.ts';

const { sql, url } = useDatabase();
const start = useCommand(url);

beforeAll(async () => {
  await createHandleOnce({ sql, scope: 'billing' })('order-7', {}, () => 'the result');
});

/** The address that the command prints, and its end. */
async function serve(args = ''): Promise<{ address: URL; stop: () => Promise<Ended> }> {
  const { child, ended } = start(`dashboard ${args}`);
  const stop = () => {
    child.kill('SIGINT');
    return ended;
  };
  onTestFinished(async () => {
    await stop();
  });
  const printed = new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      const address = /http:\S+/.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    });
    void ended.then(({ stderr }) => {
      reject(new Error(stderr));
    });
  });
  return { address: new URL(await printed), stop };
}

/** Comes in by the address that was printed: what the browser has from then on. */
async function enter(address: URL): Promise<{ cookie: string; location: string }> {
  const response = await fetch(address, { redirect: 'manual' });
  expect(response.status).toBe(303);
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(
    new RegExp(`^handle_once_${address.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
  );
  return { cookie: cookie.split(';')[0] ?? '', location: response.headers.get('location') ?? '' };
}

test('the dashboard is served until it is stopped', async () => {
  const { address, stop } = await serve();
  expect(address.hostname).toBe('127.0.0.1');
  const { cookie, location } = await enter(address);
  expect(location).not.toContain('token');
  const page = await fetch(new URL(location, address), { headers: { cookie } });
  expect(page.status).toBe(200);
  expect(await page.text()).toMatch(/<h1>Overview<\/h1>/);
  expect(await stop()).toMatchObject({ code: 0, stderr: '' });
});

describe('Nobody comes in', () => {
  test('without the token, or with another one', async () => {
    const { address } = await serve();
    const { origin, port } = address;
    const cookies = [
      undefined,
      `handle_once_${port}=`,
      `handle_once_${port}=${'A'.repeat(43)}`,
      'handle_once_1=x',
    ];
    for (const cookie of cookies) {
      const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
      expect((await fetch(origin, { headers })).status).toBe(403);
    }
    expect((await fetch(`${origin}/?token=${'A'.repeat(43)}`)).status).toBe(403);
    expect((await fetch(`${origin}/?token=`)).status).toBe(403);
  });

  test('by the name of another host, which a page of another site can point here', async () => {
    const { address } = await serve();
    const { cookie } = await enter(address);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      request(
        { port: address.port, host: '127.0.0.1', headers: { cookie, host: `evil.test:${address.port}` } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });
});

describe('Rights', () => {
  const ONE = '?view=message&scope=billing&key=order-7';

  test('are to read, and no more', async () => {
    const { address } = await serve();
    const { cookie } = await enter(address);
    const page = await fetch(new URL(`${ONE}&result=1`, address), { headers: { cookie } });
    const text = await page.text();
    expect(text).not.toMatch(/the result|<form[^>]*method="post"/);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const body = new URLSearchParams({ action: 'forget' });
    expect((await fetch(new URL(ONE, address), { method: 'POST', headers, body })).status).toBe(403);
  });

  test('are given by options', async () => {
    const { address } = await serve('--allow-actions --allow-results');
    const { cookie } = await enter(address);
    const page = await fetch(new URL(`${ONE}&result=1`, address), { headers: { cookie } });
    const text = await page.text();
    expect(text).toMatch(/the result/);
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const seen = /name="seen" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const body = new URLSearchParams({ action: 'forget', token, seen });
    const done = await fetch(new URL(ONE, address), { method: 'POST', headers, body, redirect: 'manual' });
    expect(done.status).toBe(303);
    expect(await sql`select person, action, done from handle_once.audit`).toEqual([
      { person: expect.stringMatching(/ on /) as string, action: 'forget', done: '1' },
    ]);
  });
});

test('a port that is taken is said', async () => {
  const { address } = await serve();
  const { code, stderr } = await start(`dashboard --port ${address.port}`).ended;
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--port \d+ cannot be opened \(EADDRINUSE\): choose/),
  ]);
});
