import { describe, expect, it } from 'vitest';
import { deadLetterFacts } from '../../src/adapter/dead-letter.ts';
import { decide } from '../../src/adapter/decide.ts';
import { refused } from '../../src/words/endings.ts';
import { bench, githubDelivery } from '../webhook/support/bench.ts';
import { hostile, hostileProxy, withGetters } from '../support/hostile.ts';

const THROWN: [name: string, make: () => unknown][] = [
  ...hostile,
  ['an error whose name throws', () => withGetters(new Error('x'), 'name')],
  ['a Proxy of an error', () => hostileProxy(new Error('x'))],
];

describe('An adapter whose handleOnce, or a function in its options, throws', () => {
  it.each(THROWN)('%s keeps the message', (_, make) => {
    const handled = refused(make());
    for (const onFailed of ['acknowledge', 'keep'] as const) {
      expect(decide(handled, onFailed)).toEqual({ action: 'keep', reason: 'error' });
    }
    expect(deadLetterFacts('scope', 'key', handled)).toMatchObject({ attempts: 0 });
  });

  it.each(THROWN)('%s does not verify a webhook, and finds no id for it', async (_, make) => {
    const throwing = (): never => {
      throw make() as Error;
    };
    const unverified = await bench({ verify: throwing }).handleWebhook(githubDelivery('1'));
    expect(unverified).toMatchObject({ answer: { status: 401 }, error: { code: 'UNVERIFIED' } });
    const of = { source: { id: throwing }, name: 'sender' };
    expect(await bench({ of }).handleWebhook(githubDelivery('1'))).toMatchObject({
      answer: { status: 400 },
      error: { code: 'MISSING_ID' },
    });
  });
});
