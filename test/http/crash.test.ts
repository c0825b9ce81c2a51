import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import type { CrashOrder, CrashPoint } from './support/crash-order.ts';
import { type ServerProcess, startServer } from './support/crash-process.ts';
import { send, told } from './support/server.ts';

describe('A server that is killed', () => {
  const { sql, url } = useDatabase();
  const successors = new Map<CrashOrder['server'], ServerProcess>();

  beforeAll(async () => {
    await sql`create table runs (key text)`;
    await sql`create table effects (effect_key text unique)`;
    for (const server of ['fetch', 'node'] as const) {
      successors.set(server, await startServer({ url, server, dieAt: null }));
    }
  });

  afterAll(() => Promise.all(Array.from(successors.values(), (server) => server.stop())));

  async function runsOf(key: string): Promise<number> {
    return (await sql`select 1 from runs where key = ${key}`).length;
  }

  async function letLeaseLapse(key: string): Promise<void> {
    await sql`
      update handle_once.records set live_until = statement_timestamp()
      where key like ${`%:${key}`} and owned`;
  }

  describe.concurrent('at some point', () => {
    it.each<[CrashOrder['server'], CrashPoint, what: string, retried: [number, string], runs: number]>([
      ['fetch', 'before-claim', 'the retry is the first request', [201, 'stored'], 1],
      ['fetch', 'after-claim', 'the retry does it all', [201, 'stored'], 1],
      ['fetch', 'in-handler', 'the retry runs the handler again', [201, 'stored'], 2],
      ['fetch', 'after-effect', 'the retry runs the handler again', [201, 'stored'], 2],
      ['fetch', 'after-handler', 'the retry runs the handler again', [201, 'stored'], 2],
      ['fetch', 'after-settle', 'the retry gets the answer that the client never saw', [201, 'replayed'], 1],
      ['node', 'after-claim', 'the retry does it all', [201, 'stored'], 1],
      ['node', 'in-handler', 'the retry runs the handler again', [201, 'stored'], 2],
      ['node', 'after-handler', 'the retry runs the handler again', [201, 'stored'], 2],
      ['node', 'after-settle', 'the retry gets the answer that the client never saw', [201, 'replayed'], 1],
    ])('%s, %s: %s', async (server, dieAt, _, retried, runs) => {
      const key = `${server}-${dieAt}`;
      const doomed = await startServer({ url, server, dieAt });
      await expect(send(doomed.url, key)).rejects.toThrow();
      expect(await doomed.ended).toBe('SIGKILL');

      const { url: next } = successors.get(server) ?? doomed;
      if (dieAt !== 'before-claim' && dieAt !== 'after-settle') {
        expect(told(await send(next, key))).toEqual([409, 'in-flight']);
        await letLeaseLapse(key);
      }
      expect(told(await send(next, key))).toEqual(retried);
      expect(told(await send(next, key))).toEqual([201, 'replayed']);
      expect(await runsOf(key)).toBe(runs);
    });
  });

  it('leaves one effect for each request, where effects carry a child key', async () => {
    expect(await sql`select 1 from effects`).toHaveLength(10);
  });
});
