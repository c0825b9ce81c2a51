import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandleOnce, type DatabaseClient } from '../../../src/index.ts';
import { counted } from '../library.ts';

const BODY = { text: `naïve "quotes" \\ {braces} ? ?? :name $1 '' 鍵 \n` };

export function hotPathContract(client: () => DatabaseClient): void {
  test('handles a message once with two statements, and replays it with one', async () => {
    const counting = counted(client());
    const handleOnce = createHandleOnce({ sql: counting.client, scope: randomUUID() });
    // Once a day a process says which it is, beside the first message.
    await handleOnce('first', BODY, () => undefined);
    const before = counting.statements();
    const first = await handleOnce('key', BODY, (body) => body);
    expect(first).toEqual({ state: 'succeeded', replayed: false, attempts: 1, result: BODY });
    expect(counting.statements() - before).toBe(2);
    const replay = await handleOnce('key', BODY, () => expect.fail('it ran again'));
    expect(replay).toEqual({ state: 'succeeded', replayed: true, attempts: 1, result: BODY });
    expect(counting.statements() - before).toBe(3);
  });

  test('runs each of a hundred messages once, though every one comes twice at one moment', async () => {
    const handleOnce = createHandleOnce({ sql: client(), scope: randomUUID() });
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index % 100}`);
    const ran: string[] = [];
    const run = (key: string) => handleOnce(key, {}, () => ran.push(key), { waitMs: 20_000 });
    const outcomes = await Promise.all(keys.map(run));
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['succeeded']));
    expect(ran).toHaveLength(100);
    expect(new Set(ran).size).toBe(100);
  });
}
