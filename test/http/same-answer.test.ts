import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bench, post, statusOf } from './support/bench.ts';
import { type Handler, listen } from './support/node-bench.ts';
import { send, told } from './support/server.ts';

/** What a client is answered must not depend on how busy the process is, so each kind of body is sent this often. */
const TIMES = 200;

/** Requests at once. */
const COMPANY = 25;

const SMALL = 1_000;
/** Above what is kept by default. */
const LARGE = 100_000;

/** The answers to a request and to its retry, without those that were there before. */
async function distinct(answers: (key: string) => Promise<unknown>): Promise<unknown[]> {
  const seen = new Set<string>();
  for (let n = 0; n < TIMES; n += COMPANY) {
    const keys = Array.from({ length: COMPANY }, (_, index) => String(n + index));
    for (const answer of await Promise.all(keys.map(answers))) seen.add(JSON.stringify(answer));
  }
  return [...seen].map((answer): unknown => JSON.parse(answer));
}

let folder: string;
const pathOf = (size: number): string => join(folder, String(size));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handle-once-'));
  for (const size of [SMALL, LARGE]) await writeFile(pathOf(size), Buffer.alloc(size, 'a'));
});

afterAll(() => rm(folder, { recursive: true }));

async function* turnByTurn(): AsyncGenerator<Buffer> {
  for (let part = 0; part < 20; part += 1) {
    yield Buffer.alloc(SMALL / 20, 'a');
    await turnOfTheLoop();
  }
}

const REFUSED = [
  [500, 'stored', 0],
  [500, 'replayed', 0],
];
const KEPT = [
  [200, 'stored', SMALL],
  [200, 'replayed', SMALL],
];
const NOT_KEPT = [
  [200, 'stored', LARGE],
  [410, 'not-kept', 0],
];

describe(`A body that is sent ${TIMES} times is answered alike each time`, { timeout: 120_000 }, () => {
  const events = (): Readable => Readable.from(['data: 1\n\n', 'data: 2\n\n']);

  it.each<[what: string, handler: Handler, answers: unknown]>([
    ['a small file', (_, response) => createReadStream(pathOf(SMALL)).pipe(response), KEPT],
    ['a file above the limit', (_, response) => createReadStream(pathOf(LARGE)).pipe(response), NOT_KEPT],
    [
      'server-sent events',
      (_, response) => events().pipe(response.setHeader('content-type', 'text/event-stream')),
      REFUSED,
    ],
    ['parts that come turn by turn', (_, response) => Readable.from(turnByTurn()).pipe(response), KEPT],
  ])('%s, by node:http', async (_, handler, expected) => {
    const { url, runs } = await listen(handler);
    const found = await distinct(async (key) => {
      const answers = [await send(url, key), await send(url, key)];
      return answers.map((answer) => [...told(answer), answer.status === 200 ? answer.body.length : 0]);
    });
    expect(found).toEqual([expected]);
    expect(runs()).toBe(TIMES);
  });

  const fileBody = (size: number): ReadableStream =>
    Readable.toWeb(createReadStream(pathOf(size))) as ReadableStream;

  it.each<[what: string, body: () => ReadableStream, headers: Record<string, string>, answers: unknown]>([
    ['a small file', () => fileBody(SMALL), {}, KEPT],
    ['a file above the limit', () => fileBody(LARGE), {}, NOT_KEPT],
    [
      'server-sent events',
      () => Readable.toWeb(events()) as ReadableStream,
      { 'content-type': 'Text/Event-Stream; charset=utf-8' },
      REFUSED,
    ],
    [
      'parts that come turn by turn',
      () => Readable.toWeb(Readable.from(turnByTurn())) as ReadableStream,
      {},
      KEPT,
    ],
  ])('%s, by a Fetch handler', async (_, body, headers, expected) => {
    const { send: handle, runs } = bench({ handler: () => new Response(body(), { headers }) });
    const found = await distinct(async (key) => {
      const answers: unknown[] = [];
      for (const response of [await handle(post(key)), await handle(post(key))]) {
        const { byteLength } = await response.arrayBuffer();
        answers.push([response.status, statusOf(response), response.status === 200 ? byteLength : 0]);
      }
      return answers;
    });
    expect(found).toEqual([expected]);
    expect(runs).toHaveLength(TIMES);
  });
});
