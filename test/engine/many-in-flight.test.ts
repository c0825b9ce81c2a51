import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { StoreError, TerminalError } from '../../src/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { usePostgresBench } from './support/bench.ts';

const LANES = 40;
const EACH = 25;

const bench = usePostgresBench();

interface Statement {
  readonly verb: string;
  readonly scope: string;
  readonly messages: number;
}

let statements: Statement[] = [];

beforeEach(() => {
  statements = [];
  const note = (statement: unknown): void => {
    statements.push(statement as Statement);
  };
  subscribe('handle-once:statement', note);
  onTestFinished(() => {
    unsubscribe('handle-once:statement', note);
  });
});

/** So many messages in flight, each lane one after the other. */
async function inLanes<Result>(handle: (key: string, number: number) => Promise<Result>): Promise<Result[]> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const results: Result[] = [];
    for (let turn = 0; turn < EACH; turn += 1) {
      results.push(await handle(`${lane}/${turn}`, lane * EACH + turn));
    }
    return results;
  });
  return (await Promise.all(lanes)).flat();
}

describe('with many messages in flight', () => {
  it('many share a statement', async () => {
    const handleOnce = bench.handleOnce({ scope: 'halves' });
    const outcomes = await inLanes((key) => handleOnce(key, 'body', () => key));
    expect(new Set(outcomes.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['succeeded 1']),
    );
    // Not those of other tests, whose messages may end late, nor of leases that were extended on a busy machine.
    const own = statements.filter(({ scope, verb }) => scope === 'halves' && verb !== 'extend');
    expect(own.reduce((sum, { messages }) => sum + messages, 0)).toBe(2 * LANES * EACH);
    // How many depends on when replies arrive. The next test gives that.
    expect(own.length).toBeLessThan((2 * LANES * EACH) / 5);
    expect(handleOnce.counts()).toEqual({ claimed: LANES * EACH, succeeded: LANES * EACH });
  });

  it('a statement has half of what is in flight, of claims or of settles', async () => {
    const memory = createMemoryStore();
    const replies: (() => void)[] = [];
    const replied = () => new Promise<void>((resolve) => replies.push(resolve));
    let sent = 0;
    const store: Store = {
      ...memory,
      async claim(requests, terms) {
        sent += 1;
        await replied();
        return await memory.claim(requests, terms);
      },
      async settle(requests, scope) {
        sent += 1;
        await replied();
        return await memory.settle(requests, scope);
      },
    };
    // No claim yields.
    const host = createHost({ ...systemClock, random: () => 0.5 }, 'abcdef01');
    const handleOnce = createHandleOnceIn(host, { store, scope: 'halves' });
    const progress = { hasEnded: false };
    const ended = inLanes((key) => handleOnce(key, 'body', () => key)).finally(() => {
      progress.hasEnded = true;
    });
    while (!progress.hasEnded) {
      replies.shift()?.();
      await nextTurn();
      await nextTurn();
    }
    await ended;
    // Those of the first and the last messages may be smaller.
    expect(sent).toBeLessThan(1.3 * 2 * 2 * EACH);
  });

  it('each ends as it would by itself: failed, tried again, replayed, refused', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const tried = new Set<string>();
    const ends = await inLanes(async (key, number) => {
      const run = () => {
        if (number % 4 === 1) throw new TerminalError('no');
        if (number % 4 === 2 && !tried.has(key)) {
          tried.add(key);
          throw new Error('later');
        }
        return key;
      };
      const first = await handleOnce(key, 'body', run);
      const second = await handleOnce(key, number % 4 === 3 ? 'another body' : 'body', run).catch(
        (error: unknown) => (error instanceof Error ? error.name : ''),
      );
      return [first.state, typeof second === 'string' ? second : `${second.state} ${second.attempts}`].join(
        ', ',
      );
    });
    const kinds = [
      'succeeded, succeeded 1',
      'failed, failed 1',
      'pending, succeeded 2',
      'succeeded, PayloadMismatchError',
    ];
    expect(ends).toEqual(ends.map((_, number) => kinds[number % 4]));
  });

  it('each is handled once where replies are lost, and none is lost', async () => {
    const { store } = bench;
    let sent = 0;
    // Each is tried again a few times: none loses more than one reply.
    const unlucky = new Set<string>();
    async function lossily<Reply>(requests: readonly { readonly key: string }[], reply: Promise<Reply>) {
      const answer = await reply;
      sent += 1;
      if (sent % 5 > 0 || requests.some(({ key }) => unlucky.has(key))) return answer;
      for (const { key } of requests) unlucky.add(key);
      throw new StoreError('the reply was lost', { retriable: true });
    }
    const lossy: Store = {
      ...store,
      claim: (requests, terms) => lossily(requests, store.claim(requests, terms)),
      settle: (requests, scope) => lossily(requests, store.settle(requests, scope)),
    };
    const handleOnce = bench.handleOnce({ store: lossy });
    const runs = new Map<string, number>();
    const outcomes = await inLanes((key) =>
      handleOnce(key, 'body', () => {
        runs.set(key, (runs.get(key) ?? 0) + 1);
      }),
    );
    expect(new Set(outcomes.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['succeeded 1']),
    );
    expect(runs.size).toBe(LANES * EACH);
    expect(new Set(runs.values())).toEqual(new Set([1]));
    expect(unlucky.size).toBeGreaterThan(0);
  });
});
