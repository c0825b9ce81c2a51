import { describe, expect, it } from 'vitest';
import { send, told } from '../http/support/server.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { startExample } from './support/example.ts';
import { records } from './support/records.ts';

describe.each(['http-fetch.ts', 'http-node.ts'])('%s', (file) => {
  const { sql, url } = useEmptyDatabase();

  it('charges once for a request that is sent three times, and once for each caller', async () => {
    const example = startExample(file, { DATABASE_URL: url, PORT: '0' });
    await example.prints(/port: \d+/);
    const at = `http://127.0.0.1:${/port: (\d+)/.exec(example.output())?.[1] ?? ''}`;
    const alice = { headers: { authorization: 'Bearer alice' } };
    const answers = [await send(at, '"1"', alice), await send(at, '1', alice), await send(at, '"1"', alice)];
    expect(answers.map(told)).toEqual([
      [201, 'stored'],
      [201, 'replayed'],
      [201, 'replayed'],
    ]);
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
    expect(told(await send(at, '"1"', { headers: { authorization: 'Bearer bob' } }))).toEqual([
      201,
      'stored',
    ]);
    expect(told(await send(at, '"1"', { ...alice, body: '{"cents":1}' }))).toEqual([422, 'mismatch']);
    expect(told(await send(at, '"2"'))).toEqual([401, 'no-principal']);
    for (const [key, body] of ['{', 'null', '{"cents":1.5}'].entries()) {
      expect(told(await send(at, `wrong-${key}`, { ...alice, body }))).toEqual([400, 'stored']);
    }
    example.signal('SIGTERM');

    expect(await example.exitCode(), example.output()).toBe(0);
    expect(example.output().match(/^charged 995 for order [0-9a-f]{12}$/gm)).toHaveLength(2);
    const settled = { scope: 'shop>http:POST%20%2Forders', state: 'succeeded', attempts: 1 };
    expect(await records(sql)).toMatchObject(Array.from({ length: 5 }, () => settled));
  });
});
