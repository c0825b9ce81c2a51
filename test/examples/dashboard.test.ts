import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Express } from 'express';
import { createHandleOnce, TerminalError } from 'handle-once';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { startExample } from './support/example.ts';
import { nestOnExpress } from './support/nest-on-express.ts';

const { sql, url } = useDatabase();
const environment = { DATABASE_URL: url, DASHBOARD_SECRET: 'x'.repeat(32), PORT: '0' };

const READER = { 'x-forwarded-user': 'bob', 'x-forwarded-groups': 'staff' };
const ALICE = { 'x-forwarded-user': 'alice', 'x-forwarded-groups': 'staff,on-call' };

/** Each resolves with the address of its application. */
const SERVERS: Readonly<Record<string, () => Promise<string>>> = {
  'hono.ts': () => startProgram('hono.ts'),
  'express.ts': () => startProgram('express.ts'),
  'fastify.ts': () => startProgram('fastify.ts'),
  'nestjs.ts': startNest,
  'next.ts': () => startProgram('../../test/examples/support/run-next.ts'),
};

async function startProgram(file: string): Promise<string> {
  const example = startExample(`dashboard/${file}`, environment);
  await example.prints(/port: \d+/);
  onTestFinished(async () => {
    example.signal('SIGTERM');
    expect(await example.exitCode(), example.output()).toBe(0);
  });
  return `http://127.0.0.1:${/port: (\d+)/.exec(example.output())?.[1] ?? ''}`;
}

async function startNest(): Promise<string> {
  vi.stubEnv('DASHBOARD_SECRET', environment.DASHBOARD_SECRET);
  const { mountDashboard, SQL, Staff } = await import('../../examples/dashboard/nestjs.ts');

  @Module({ providers: [Staff, { provide: SQL, useValue: sql }] })
  class AppModule {}

  const app = await NestFactory.create(AppModule, nestOnExpress(), { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  mountDashboard(app, '/queue');
  await app.listen(0, '127.0.0.1');
  // After Nest's parsers, as the handlers of its controllers are.
  const express = app.getHttpAdapter().getInstance() as Express;
  express.post('/', ({ body }, response) => void response.json(body));
  return await app.getUrl();
}

beforeEach(async () => {
  await sql`truncate handle_once.records`;
  const handleOnce = createHandleOnce({ sql, scope: 'billing', onEvent: () => undefined });
  await handleOnce('order-1', {}, () => {
    throw new TerminalError('no card');
  });
});

test.each(Object.entries(SERVERS))(
  '%s shows the dashboard, and who is on call can retry',
  async (_, start) => {
    const at = `${await start()}/queue`;
    const get = async (query: string, headers: Record<string, string>) => {
      const response = await fetch(`${at}?${query}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    expect(await get('', {})).toMatchObject({ status: 403 });
    const overview = await get('', READER);
    expect(overview.status).toBe(200);
    expect(overview.text).toContain('<h1>Overview</h1>');
    expect(await get('view=style.css', {})).toMatchObject({ status: 200 });

    const one = 'view=message&scope=billing&key=order-1';
    const hiddenIn = (text: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1];
    expect(hiddenIn((await get(one, READER)).text, 'token')).toBeUndefined();
    const page = (await get(one, ALICE)).text;
    const [token = '', seen = ''] = ['token', 'seen'].map((name) => hiddenIn(page, name));
    const response = await fetch(`${at}?${one}`, {
      method: 'POST',
      headers: { ...ALICE, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ action: 'retry', token, seen }),
      redirect: 'manual',
    });
    expect([response.status, await response.text()]).toEqual([303, '']);
    expect(response.headers.get('location')).toBe(`?${one}`);
    const { text } = await get(`${one}&format=json`, READER);
    expect(JSON.parse(text)).toMatchObject({ record: { phase: 'waiting' } });
  },
);

test.each(['hono.ts', 'express.ts', 'fastify.ts', 'nestjs.ts'])(
  '%s parses the forms of the application, which are none of the dashboard',
  async (file) => {
    const body = new URLSearchParams({ name: 'value' });
    const response = await fetch((await SERVERS[file]?.()) ?? '', { method: 'POST', body });
    expect(await response.json()).toEqual({ name: 'value' });
  },
);
