import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  createHandleOnce,
  InvalidOptionsError,
  LeaseLostError,
  TerminalError,
} from '../../src/index.ts';
import { childKey } from '../../src/options/key.ts';
import { aborted, gate } from '../support/gate.ts';
import { memoryBench, usePostgresBench } from './support/bench.ts';
import { flakyStore, isUnreachable, losesReply, refusesForGood } from './support/flaky-store.ts';

describe.each([
  ['in memory', memoryBench],
  ['on Postgres', usePostgresBench],
])('steps %s', (_, useBench) => {
  const bench = useBench();

  /** Fails until all that comes before has been done `failures` times. */
  function failing(failures: number): () => void {
    let calls = 0;
    return () => {
      calls += 1;
      if (calls <= failures) throw new Error('not yet');
    };
  }

  test('one that has ended is answered with its result, and runs no more', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const ran: string[] = [];
    const end = failing(2);
    const handle = () =>
      handleOnce('order-7', 'body', async (__, attempt) => {
        const text = await attempt.step('summary', () => {
          ran.push('summary');
          return { text: 'short', at: new Date(0) };
        });
        const key = await attempt.step('charge', (idempotencyKey) => {
          ran.push('charge');
          return idempotencyKey;
        });
        const nothing = await attempt.step<unknown>('mail', () => {
          ran.push('mail');
        });
        end();
        return { text, key, nothing };
      });
    expect(await handle()).toMatchObject({ state: 'pending', attempts: 1 });
    expect(await handle()).toMatchObject({ state: 'pending', attempts: 2 });
    expect(await handle()).toMatchObject({
      state: 'succeeded',
      attempts: 3,
      result: {
        text: { text: 'short', at: '1970-01-01T00:00:00.000Z' },
        key: childKey(handleOnce.settings.scope, 'order-7', 'charge'),
        nothing: undefined,
      },
    });
    expect(ran).toEqual(['summary', 'charge', 'mail']);
  });

  test('the first run has the JSON form too', async () => {
    const handleOnce = bench.handleOnce();
    const outcome = await handleOnce(
      'key',
      'body',
      async (__, attempt) => await attempt.step('at', () => ({ at: new Date(0), left: undefined })),
    );
    expect(outcome).toMatchObject({ result: { at: '1970-01-01T00:00:00.000Z' } });
  });

  test('what one throws goes through to the handler, and it may run again', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const end = failing(2);
    const handle = () =>
      handleOnce('key', 'body', async (__, attempt) => {
        const first = attempt.step('charge', () => {
          end();
          return 'paid';
        });
        await expect(first).rejects.toThrow('not yet');
        return await attempt.step('charge', () => {
          end();
          return 'paid';
        });
      });
    expect(await handle()).toMatchObject({ state: 'pending', error: { message: 'not yet' } });
    const again = handleOnce('key', 'body', (__, attempt) => attempt.step('charge', () => 'paid'));
    expect(await again).toMatchObject({ state: 'succeeded', result: 'paid' });
  });

  test('steps side by side are all kept', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const ran: number[] = [];
    const end = failing(1);
    const handle = () =>
      handleOnce('key', 'body', async (__, attempt) => {
        const steps = Array.from({ length: 20 }, (___, n) =>
          attempt.step(`step ${n}`, () => {
            ran.push(n);
            return n * n;
          }),
        );
        const results = await Promise.all(steps);
        end();
        return results;
      });
    await handle();
    expect(await handle()).toMatchObject({ result: Array.from({ length: 20 }, (__, n) => n * n) });
    expect(ran).toHaveLength(20);
  });

  test('a worker that dies leaves its steps to the next', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: 1_000 });
    const ran: string[] = [];
    const died = gate();
    const dies = handleOnce('key', 'body', async (__, attempt) => {
      await attempt.step('charge', () => ran.push('charge'));
      died.open();
      await aborted(attempt.signal);
      // A zombie: another has the message, or will.
      await attempt.step('mail', () => ran.push('mail of a zombie'));
    });
    await died.opened;
    await bench.pass(1_000);
    const outcome = await handleOnce('key', 'body', async (__, attempt) => {
      await attempt.step('charge', () => ran.push('charge'));
      return await attempt.step('mail', () => ran.push('mail'));
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await dies).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(ran).toEqual(['charge', 'mail']);
  });

  test('a step whose record another has taken over ends the attempt', async () => {
    const handleOnce = bench.handleOnce();
    const ran: string[] = [];
    const started = gate();
    const mayEnd = gate();
    const zombie = handleOnce('key', 'body', async (__, { step, signal }) => {
      const paid = step('charge', async () => {
        started.open();
        await mayEnd.opened;
      });
      await expect(paid).rejects.toBeInstanceOf(LeaseLostError);
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
      await step('mail', () => ran.push('zombie'));
    });
    await started.opened;
    await bench.pass(30_000);
    await handleOnce('key', 'body', (__, { step }) => step('mail', () => ran.push('second')));
    mayEnd.open();
    expect(await zombie).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(ran).toEqual(['second']);
  });

  test('a step whose record was refused is written before it answers another call', async () => {
    const store = flakyStore(bench.store, { keep: [refusesForGood, refusesForGood] });
    const handleOnce = bench.handleOnce({ store });
    let runs = 0;
    const outcome = await handleOnce('key', 'body', async (__, { step }) => {
      const call = () => step('charge', () => (runs += 1));
      for (const _refused of [1, 2]) await expect(call()).rejects.toThrow('the statement was refused');
      return await call();
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 1 });
    expect(runs).toBe(1);
  });

  test('a new life of the key begins without steps', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: 1_000, succeededRetentionMs: 1_000 });
    const ran: number[] = [];
    const handle = () => handleOnce('key', 'body', (__, attempt) => attempt.step('n', () => ran.push(0)));
    await handle();
    await bench.pass(1_000);
    expect(await handle()).toMatchObject({ replayed: false, result: 2 });
  });

  test('a result that is not kept is returned once, and its step does not run again', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0, maxStepBytes: 100 });
    const ran: string[] = [];
    const end = failing(1);
    const handle = (name: 'large' | 'map') =>
      handleOnce(name, 'body', async (__, attempt) => {
        const result = await attempt.step<unknown>(name, () => {
          ran.push(name);
          return name === 'large' ? 'x'.repeat(100) : new Map([[1, 2]]);
        });
        end();
        return result;
      });
    expect(await handle('large')).toMatchObject({ state: 'pending' });
    expect(await handle('large')).toMatchObject({
      state: 'failed',
      reason: 'terminal',
      error: {
        name: 'TerminalError',
        code: 'STEP_WITHOUT_RESULT',
        message: expect.stringMatching(/^step "large" has ended .* more than 100 bytes/) as string,
      },
    });
    expect(await handle('map')).toMatchObject({ state: 'succeeded' });
    expect(ran).toEqual(['large', 'map']);
  });

  test('a handler that does not wait for its step has it aborted, and the record waits for its end', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const ended: string[] = [];
    const started = gate();
    let reason: unknown;
    await handleOnce('key', 'body', async (__, attempt) => {
      void attempt.step('upload', async () => {
        started.open();
        await aborted(attempt.signal);
        reason = attempt.signal.reason;
        await Promise.resolve();
        ended.push('step');
      });
      await started.opened;
      throw new Error('another part failed');
    });
    ended.push('call');
    expect(ended).toEqual(['step', 'call']);
    expect(reason).toMatchObject({ name: 'AbortError' });
    const again = await handleOnce('key', 'body', (__, attempt) => attempt.step('upload', () => 'again'));
    expect(again).toMatchObject({ state: 'succeeded', result: undefined });
  });

  test.each<[string, (step: Promise<unknown>) => unknown]>([
    ['at once', () => 'done'],
    ['by a race', (step) => Promise.race([step.catch(() => undefined), Promise.resolve('done')])],
  ])(
    'a handler that returns %s, without waiting for its step, fails where the step does',
    async (__, end) => {
      const handleOnce = bench.handleOnce({ backoff: () => 0 });
      const outcome = await handleOnce('key', 'body', (___, attempt) =>
        end(
          attempt.step('upload', async () => {
            await aborted(attempt.signal);
            attempt.signal.throwIfAborted();
          }),
        ),
      );
      expect(outcome).toMatchObject({
        ...{ state: 'pending', reason: 'released', attempts: 1 },
        error: { name: 'AbortError', message: 'the handler has ended, and did not wait for its step' },
      });
      const again = await handleOnce('key', 'body', (___, attempt) => attempt.step('upload', () => 'done'));
      expect(again).toMatchObject({ state: 'succeeded', attempts: 2, result: 'done' });
    },
  );

  type Step = (name: string, run: () => unknown) => Promise<unknown>;
  const fails = (): never => {
    throw new Error('down');
  };

  test.each<[string, RegExp, (step: Step) => unknown]>([
    ['fails at once', /down/, (step) => void step('mail', fails)],
    [
      'fails while the handler goes on',
      /down/,
      async (step) => {
        void step('mail', fails);
        await step('charge', () => 1);
      },
    ],
    [
      'has a name that was used',
      /"charge" was used before/,
      async (step) => {
        await step('charge', () => 1);
        void step('charge', () => 2);
      },
    ],
    [
      'starts a step that comes too late',
      /cannot start a step/,
      (step) =>
        void step('outer', async () => {
          await Promise.resolve();
          void step('inner', () => 1);
        }),
    ],
  ])('a step that is not awaited and that %s fails the attempt', async (__, says, handler) => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const outcome = await handleOnce('key', 'body', (___, { step }) => handler(step));
    expect(outcome).toMatchObject({
      ...{ state: 'pending', reason: 'released', attempts: 1 },
      error: { message: expect.stringMatching(says) as string },
    });
  });

  test('one that fails before it is awaited is handled where it is', async () => {
    const handleOnce = bench.handleOnce();
    const outcome = await handleOnce('key', 'body', async (__, { step }) => {
      const mail = step('mail', fails);
      await step('charge', () => new Promise((resolve) => void setTimeout(resolve, 20)));
      return await mail.catch(() => 'handled');
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'handled' });
  });

  test('one whose code outlasts the lease is not on record', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: 300, backoff: () => 0 });
    const first = await handleOnce('key', 'body', async (__, { step }) => {
      await step('charge', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 320));
    });
    expect(first).toMatchObject({ state: 'pending', error: { name: 'LeaseLostError' } });
    await bench.pass(1_000);
    const second = bench.handleOnce({ scope: handleOnce.settings.scope });
    expect(await second('key', 'body', (__, { step }) => step('charge', () => 'again'))).toMatchObject({
      ...{ state: 'succeeded', result: 'again' },
    });
  });

  test.each<[string, (step: Promise<unknown>) => unknown]>([
    ['forgotten', () => 'ok'],
    ['raced', (step) => Promise.race([step.catch(() => undefined), Promise.resolve('ok')])],
  ])('a handler whose step is %s and runs on beyond the lease has not succeeded', async (__, end) => {
    const handleOnce = bench.handleOnce({ leaseMs: 300, backoff: () => 0 });
    const declined = gate();
    const first = await handleOnce('key', 'body', (___, { step }) =>
      end(
        step('charge', async () => {
          await Promise.resolve();
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 320);
          await declined.opened;
          throw new Error('declined');
        }),
      ),
    );
    expect(first).toMatchObject({
      state: 'pending',
      reason: 'lease-lost',
      error: { name: 'LeaseLostError' },
    });
    declined.open();
    await bench.pass(1_000);
    const second = bench.handleOnce({ scope: handleOnce.settings.scope });
    expect(await second('key', 'body', (___, { step }) => step('charge', () => 'again'))).toMatchObject({
      ...{ state: 'succeeded', replayed: false, result: 'again' },
    });
  });

  test.each<[string, () => unknown, RegExp]>([
    ['a function', () => () => 1, /the step returned a function/],
    [
      'a generator',
      function* generator() {
        yield 1;
      },
      /the step returned a generator/,
    ],
    [
      'a list of promises, one of which rejects',
      () => [Promise.resolve(1), Promise.reject(new Error('down'))],
      /down/,
    ],
  ])('one that returns %s has not ended', async (__, run, says) => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const first = await handleOnce('key', 'body', (___, { step }) => step('mails', run));
    expect(first).toMatchObject({
      state: 'pending',
      error: { message: expect.stringMatching(says) as string },
    });
    const mails = () => [1, 2].map((mail) => Promise.resolve(mail));
    const second = await handleOnce('key', 'body', (___, { step }) => step('mails', mails));
    expect(second).toMatchObject({ state: 'succeeded', result: [1, 2] });
  });

  test('a result that is not kept is given again where its write has failed', async () => {
    const store = flakyStore(bench.store, { keep: [refusesForGood] });
    const handleOnce = bench.handleOnce({ store, maxStepBytes: 100 });
    const outcome = await handleOnce('key', 'body', async (__, { step }) => {
      const large = () => 'x'.repeat(200);
      return await step('large', large).catch(() => step('large', fails));
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'x'.repeat(200) });
  });

  test('more than 1,000 in one moment are refused', async () => {
    const handleOnce = bench.handleOnce();
    const outcome = await handleOnce('key', 'body', async (__, { step }) => {
      const all = Array.from({ length: 1_002 }, (___, i) => step(`step ${i}`, () => i));
      return (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected').length;
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 2 });
  });

  test('a message has at most 1,000, those of earlier attempts among them', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (___, i) => `step ${from + i}`);
    const first = await handleOnce('key', 'body', async (___, { step }) => {
      await Promise.all(range(0, 999).map((name) => step(name, () => name.length)));
      throw new Error('not yet');
    });
    expect(first).toMatchObject({ reason: 'released', error: { message: 'not yet' } });
    const second = await handleOnce('key', 'body', async (___, { step }) => {
      await Promise.all(range(0, 999).map((name) => step(name, () => 'again')));
      await step('step 999', () => 1);
      await expect(step('one more', () => 1)).rejects.toThrow(/name: a message has at most 1000 steps/);
    });
    expect(second).toMatchObject({ state: 'succeeded' });
  });

  test('a reply that is lost is asked for again, and a store that is down for a moment costs nothing', async () => {
    const store = flakyStore(bench.store, { keep: [losesReply, isUnreachable] });
    const handleOnce = bench.handleOnce({ store });
    const ran: number[] = [];
    const outcome = await handleOnce('key', 'body', (__, attempt) => attempt.step('n', () => ran.push(0)));
    expect(outcome).toMatchObject({ state: 'succeeded', result: 1 });
    expect(handleOnce.counts()).toMatchObject({ 'store-error': 2 });
  });

  test.each<[string, object, RegExp]>([
    ['an empty name', { name: '' }, /step name must not be empty/],
    ['no function', { run: 'text' }, /run: must be a function, got string/],
    ['a name that was used', { name: 'used' }, /name: "used" was used before in this attempt/],
  ])('%s is refused', async (__, given, says) => {
    const handleOnce = bench.handleOnce();
    const { name, run } = { name: 'step', run: () => 1, ...given };
    const outcome = await handleOnce(`key of ${name}`, 'body', async (___, attempt) => {
      await attempt.step('used', () => 1);
      await expect(attempt.step(name, run)).rejects.toThrow(says);
      return 'done';
    });
    expect(outcome).toMatchObject({ state: 'succeeded' });
  });

  test('no step starts once the handler has ended, or its signal has aborted', async () => {
    const handleOnce = bench.handleOnce();
    const started: string[] = [];
    let later: Promise<unknown> = Promise.resolve();
    const ended = gate();
    await handleOnce('key', 'body', (__, attempt) => {
      later = ended.opened.then(() => attempt.step('late', () => started.push('late')));
    });
    ended.open();
    await expect(later).rejects.toBeInstanceOf(LeaseLostError);
    const caller = new AbortController();
    const stopped = handleOnce(
      'other',
      'body',
      async (__, attempt) => {
        caller.abort(new TerminalError('stop'));
        await attempt.step('late', () => started.push('aborted'));
      },
      { signal: caller.signal },
    );
    expect(await stopped).toMatchObject({ error: { message: 'stop' } });
    expect(started).toEqual([]);
  });
});

describe('an attempt has no steps', () => {
  const bench = usePostgresBench();
  const refusal = /attempt.step: is for handlers of one message, without a transaction/;

  test('in a transaction', async () => {
    const { sql } = bench.database;
    const handleOnce = createHandleOnce({ sql, scope: 'steps in a transaction' });
    const outcome = await handleOnce.inTransaction('key', 'body', (_, attempt) => {
      expect(stepOf(attempt)).toThrow(refusal);
    });
    expect(outcome).toMatchObject({ state: 'succeeded' });
  });

  test('in a batch', async () => {
    const handleOnce = bench.handleOnce();
    for (const keys of [['a', 'b'], ['c']]) {
      const entries = keys.map((key) => ({ key, payload: key }));
      const outcomes = await handleOnce.batch(entries, (_, attempts) => {
        for (const attempt of attempts) {
          expect(stepOf(attempt)).toThrow(InvalidOptionsError);
        }
      });
      expect(outcomes.map(({ state }) => state)).toEqual(keys.map(() => 'succeeded'));
    }
  });
});

/** Of callers without types. */
function stepOf(attempt: Attempt): () => void {
  return (attempt as unknown as { readonly step: () => void }).step;
}
