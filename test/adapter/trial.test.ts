import { InvalidKeyError, InvalidOptionsError } from 'handle-once';
import { describe, expect, test, vi } from 'vitest';
import { createTrial } from '../../src/adapter/trial.ts';
import { inOptionsOf, wrongFunction } from '../../src/options/wrong-function.ts';

const fault = new RangeError('no id in secret');
const fails = (): never => {
  throw fault;
};

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return thrown;
  }
}

describe('A function on trial', () => {
  test('that throws before it has worked is at fault itself: the error names the option and the fix', () => {
    const thrown = thrownBy(createTrial().wrap('key', fails));
    expect(thrown).toBeInstanceOf(InvalidOptionsError);
    expect(thrown).toMatchObject({
      message:
        'handleOnce: key: threw (RangeError), and has not worked yet: correct it. A message for ' +
        'which it returns undefined is refused. Messages are kept until it works',
      issues: [{ field: 'key' }],
      cause: fault,
    });
  });

  test('has the text of an InvalidKeyError told, which is for the user, and never what JSON.parse quotes', () => {
    const { wrap } = createTrial();
    const noTime = wrap('key', () => {
      throw new InvalidKeyError('receive it with SentTimestamp');
    });
    expect(thrownBy(noTime)).toMatchObject({
      message: expect.stringContaining('threw (InvalidKeyError: receive it with SentTimestamp)') as string,
    });
    const thrown = thrownBy(wrap('fingerprint', () => JSON.parse('card=41111') as unknown)) as Error;
    expect([thrown.message, thrown.cause]).toEqual([expect.stringContaining('(SyntaxError)'), undefined]);
  });

  test('throws as it is once it has worked, and another one goes on being tried', () => {
    const { wrap } = createTrial();
    const key = vi.fn<() => string | undefined>(fails);
    const [onTrial, other] = [wrap('key', key), wrap('body', fails)];
    key.mockReturnValueOnce(undefined);
    expect([onTrial(), thrownBy(onTrial)]).toEqual([undefined, expect.any(InvalidOptionsError)]);
    key.mockReturnValueOnce('order-7');
    expect([onTrial(), thrownBy(onTrial)]).toEqual(['order-7', fault]);
    expect(thrownBy(other)).toBeInstanceOf(InvalidOptionsError);
  });
});

test('What is thrown is the same but for a function of the options at fault, which is named by its subject', () => {
  for (const thrown of [undefined, null, 'text', fault]) expect(inOptionsOf('onceEach', thrown)).toBe(thrown);
  const named = inOptionsOf('onceEach', wrongFunction('key', 'is wrong'));
  expect(named).toMatchObject({ message: 'onceEach: key: is wrong', issues: [{ field: 'key' }] });
  expect(named).not.toHaveProperty('cause');
  const caused = wrongFunction('key', 'is wrong', { cause: fault });
  expect(inOptionsOf('onceEach', caused)).toHaveProperty('cause', fault);
});

describe('A look at messages that came together', () => {
  const identityOf = (key: () => string | undefined, fingerprint: () => unknown) => ({
    key,
    content: () => 'content',
    fingerprint: { fingerprint },
    message: undefined,
  });

  test('tries both functions until each has worked for one, and then none', () => {
    const trial = createTrial();
    const key = vi.fn((n: number) => (n < 3 ? fails() : `order-${n}`));
    const choose = vi.fn((n: number) => (n < 2 ? fails() : n));
    const [keyOf, chosen] = [trial.wrap('key', key), trial.wrap('fingerprint', choose)];
    const of = (n: number) =>
      identityOf(
        () => keyOf(n),
        () => chosen(n),
      );
    trial.look([1, 2, 3, 4], of);
    trial.look([5], of);
    expect([key.mock.calls.flat(), choose.mock.calls.flat()]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
    expect(() => keyOf(1)).toThrow(fault);
  });

  test('leaves nothing behind of an async function that rejects', async () => {
    const trial = createTrial();
    const rejects = () => Promise.reject(fault);
    trial.look([1], () =>
      identityOf(trial.wrap('key', rejects) as never, trial.wrap('fingerprint', rejects)),
    );
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
