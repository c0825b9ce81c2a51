import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type HandleOnceEvent, StoreError, TerminalError } from '../../src/index.ts';
import type { Exchange, Store } from '../../src/store.ts';
import { usePostgresBench } from './support/bench.ts';

const LANES = 40;
const EACH = 25;

const bench = usePostgresBench();

let statements: { readonly verb: string; readonly messages: number }[] = [];

beforeEach(() => {
  statements = [];
  const note = (statement: unknown): void => {
    statements.push(statement as (typeof statements)[number]);
  };
  subscribe('handle-once:statement', note);
  onTestFinished(() => {
    unsubscribe('handle-once:statement', note);
  });
});

const messagesBy = (verb: string): number =>
  statements.reduce((sum, statement) => sum + (statement.verb === verb ? statement.messages : 0), 0);

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

function exchangeOf({ exchange }: Store): Exchange {
  return exchange ?? expect.unreachable('the store has no exchange');
}

describe('with many messages in flight', () => {
  it('claims and settles share statements', async () => {
    const handleOnce = bench.handleOnce();
    const outcomes = await inLanes((key) => handleOnce(key, 'body', () => key));
    expect(new Set(outcomes.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['succeeded 1']),
    );
    expect(messagesBy('exchange')).toBeGreaterThan(LANES * EACH);
    expect(messagesBy('exchange') + messagesBy('claim') + messagesBy('settle')).toBe(2 * LANES * EACH);
    expect(handleOnce.counts()).toEqual({ claimed: LANES * EACH, succeeded: LANES * EACH });
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
    expect(messagesBy('exchange')).toBeGreaterThan(0);
  });

  it('each is handled once where replies are lost, and none is lost', async () => {
    const { store } = bench;
    let sent = 0;
    // Each is tried again a few times: none loses more than one reply.
    const unlucky = new Set<string>();
    const lossy: Store = {
      ...store,
      exchange: {
        ...exchangeOf(store),
        async send(claims, settles, terms) {
          const replies = await exchangeOf(store).send(claims, settles, terms);
          const keys = [...claims, ...settles].map(({ key }) => key);
          sent += 1;
          if (sent % 5 > 0 || keys.some((key) => unlucky.has(key))) return replies;
          for (const key of keys) unlucky.add(key);
          throw new StoreError('the reply was lost', { retriable: true });
        },
      },
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

  it('a statement that is refused is sent again as two, which an event tells', async () => {
    const { store } = bench;
    const refused = new StoreError('a record is locked', { retriable: true, mayHaveLanded: false });
    const events: HandleOnceEvent[] = [];
    const handleOnce = bench.handleOnce({
      store: { ...store, exchange: { ...exchangeOf(store), send: () => Promise.reject(refused) } },
      onEvent: (event) => {
        if (event.type === 'sent-apart') events.push(event);
      },
    });
    const outcomes = await inLanes((key) => handleOnce(key, 'body', () => key));
    expect(new Set(outcomes.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['succeeded 1']),
    );
    expect(events.length).toBeGreaterThan(0);
    expect(events[0]).toMatchObject({ key: '', error: { message: 'a record is locked' } });
    expect(handleOnce.counts()).toMatchObject({ 'sent-apart': events.length });
    expect(handleOnce.counts()['store-error']).toBeUndefined();
  });
});

it('with few messages in flight claims and settles have statements of their own', async () => {
  const handleOnce = bench.handleOnce();
  for (const key of ['a', 'b', 'c']) {
    await Promise.all(['1', '2', '3'].map((part) => handleOnce(`${key}${part}`, 'body', () => key)));
  }
  expect(new Set(statements.map(({ verb }) => verb))).toEqual(new Set(['claim', 'settle']));
});
