import { describe, expect, it } from 'vitest';
import { usePostgresBench } from './support/bench.ts';
import { flakyStore, isHeldUntil } from './support/flaky-store.ts';
import { aborted, gate } from '../support/gate.ts';

describe('a worker that is suspended past its lease', () => {
  const bench = usePostgresBench();

  it.each([
    ['returns', () => 'zombie'],
    [
      'throws',
      (): string => {
        throw new Error('zombie');
      },
    ],
  ])('and whose handler then %s cannot touch what another worker has recorded', async (name, end) => {
    const resumed = gate();
    const finish = gate();
    const lapsed = gate();
    const scope = `zombie that ${name}`;
    const zombie = bench.handleOnce({
      scope,
      leaseMs: 300,
      store: flakyStore(bench.store, {
        extend: isHeldUntil(resumed.opened),
        settle: isHeldUntil(resumed.opened),
      }),
    });
    const suspended = zombie('key', 'body', async (__, { signal }) => {
      await aborted(signal);
      lapsed.open();
      await finish.opened;
      return end();
    });
    await lapsed.opened;

    const second = bench.handleOnce({ scope });
    // The zombie sees its lease end no later than the database does.
    let outcome = await second('key', 'body', () => 'second');
    while (outcome.state === 'pending') outcome = await second('key', 'body', () => 'second');
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 });
    const recorded = await bench.record(scope, 'key');

    finish.open();
    resumed.open();
    expect(await suspended).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
    expect(await bench.record(scope, 'key')).toMatchObject({
      token: recorded?.token,
      state: 'succeeded',
      result: '"second"',
      error: null,
      attempts: 2,
    });
  });
});
