import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../src/payload/fingerprint.ts';
import { gate } from '../support/gate.ts';
import { type Bench, memoryBench } from './support/bench.ts';

const LEASE_MS = 60_000;

/** A message that was in flight when its worker died. */
async function crash({ store, ...bench }: Bench, scope: string, key: string): Promise<void> {
  const terms = { scope, leaseMs: 1_000, maxAttempts: 12, maxDeaths: 5, failedRetentionMs: LEASE_MS };
  await store.claim([{ key, token: randomUUID(), fingerprint: fingerprint(key) }], {
    ...terms,
    mayOwnSuspects: true,
  });
  await bench.pass(1_001);
}

describe('a record that has lost a worker', () => {
  const bench = memoryBench();
  const entriesOf = (...keys: readonly string[]) => keys.map((key) => ({ key, payload: key }));

  function setup(leaseMs = LEASE_MS) {
    const handleOnce = bench.handleOnce({ leaseMs });
    const ran: string[] = [];
    const batchEnds = gate();
    const begun = gate();
    const batch = handleOnce.batch(entriesOf('a', 'b'), async (payloads) => {
      ran.push(payloads.join());
      begun.open();
      await batchEnds.opened;
    });
    return { handleOnce, ran, batch, begun, batchEnds };
  }

  it('waits for the batches that run, and others run one by one meanwhile', async () => {
    const { handleOnce, ran, batch, begun, batchEnds } = setup();
    await begun.opened;
    await crash(bench, handleOnce.settings.scope, 'dead');
    const mayEnd = gate();
    const alone = handleOnce(
      'dead',
      'dead',
      async () => {
        ran.push('dead');
        await mayEnd.opened;
      },
      { timeoutMs: 200 },
    );
    const later = await handleOnce.batch(entriesOf('c', 'd'), (payloads) => {
      ran.push(payloads.join());
    });
    expect(later).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    expect(ran).toEqual(['a,b', 'c', 'd']);
    batchEnds.open();
    expect(await batch).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    await expect.poll(() => ran).toContain('dead');
    const beside = await handleOnce.batch(entriesOf('e', 'f'), (payloads) => {
      ran.push(payloads.join());
    });
    expect(beside).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    mayEnd.open();
    expect(await alone).toMatchObject({ state: 'succeeded', attempts: 2 });
    await handleOnce.batch(entriesOf('g', 'h'), (payloads) => {
      ran.push(payloads.join());
    });
    expect(ran).toEqual(['a,b', 'c', 'd', 'dead', 'e', 'f', 'g,h']);
  });

  it('runs beside a batch that goes on for longer than a lease: that may wait for it', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: 300 });
    await crash(bench, handleOnce.settings.scope, 'dead');
    const outcomes = await handleOnce.batch(entriesOf('a', 'b'), async () => {
      expect(await handleOnce('dead', 'dead', () => 'done')).toMatchObject({
        state: 'succeeded',
        attempts: 2,
      });
    });
    expect(outcomes).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  });

  it('is released at once where its caller stops it', async () => {
    const { handleOnce, batch, begun, batchEnds } = setup();
    await begun.opened;
    await crash(bench, handleOnce.settings.scope, 'dead');
    const caller = new AbortController();
    const stopped = handleOnce('dead', 'dead', () => expect.unreachable(), { signal: caller.signal });
    caller.abort();
    expect(await stopped).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    batchEnds.open();
    await batch;
  });
});
