import { type Attempt, InvalidOptionsError } from 'handle-once';
import { crashTest } from 'handle-once/testing';
import { describe, expect, it, vi } from 'vitest';

const payload = { cents: 995, to: 'a@example.com' };

type Order = typeof payload;

/** Of a second attempt. */
const AGAIN = expect.objectContaining({ state: 'succeeded', attempts: 2 }) as object;

/** Effects that are done at once, and remember what they were called with. */
function fakes() {
  return {
    charge: vi.fn((cents: number, options?: unknown) => Promise.resolve({ cents, options })),
    email: vi.fn((to: string, headers?: unknown) => Promise.resolve({ to, headers })),
  };
}

type Fakes = ReturnType<typeof fakes>;

const run = (handle: (effects: Fakes, order: Order, attempt: Attempt) => unknown, effects = fakes()) =>
  crashTest({ effects, payload, handler: (given) => (order, attempt) => handle(given, order, attempt) });

const keyed = (attempt: Attempt, name = 'charge') => ({ idempotencyKey: attempt.childKey(name) });

async function takeTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

describe('A crash test', () => {
  it('stops after each effect, runs the message again, and tells what ran twice without a child key', async () => {
    const effects = fakes();
    const report = await run(async ({ charge, email }, { cents, to }, attempt) => {
      await charge(cents, keyed(attempt));
      await email(to);
    }, effects);
    expect(report).toEqual({
      doubled: ['email'],
      notCalled: [],
      crashes: [
        {
          after: 'charge',
          doubled: [],
          outcome: AGAIN,
        },
        {
          after: 'email',
          doubled: ['email'],
          outcome: AGAIN,
        },
      ],
    });
    // Once without a crash, twice in each crash; the e-mail of the first crash was not sent before it.
    expect(effects.charge).toHaveBeenCalledTimes(5);
    expect(effects.email).toHaveBeenCalledTimes(4);
  });

  it('stops after each step that is on record too: what it did is not done again', async () => {
    const effects = fakes();
    const report = await crashTest({
      effects,
      payload,
      handler:
        ({ charge, email }) =>
        async ({ cents, to }, { step }) => {
          await step('charge', (idempotencyKey) => charge(cents, { idempotencyKey }));
          await step('email', () => email(to));
        },
    });
    expect(report.doubled).toEqual(['email']);
    expect(report.crashes.map(({ after, doubled }) => [after, doubled])).toEqual([
      ['charge', []],
      ['charge', []],
      // Between the effect and its record.
      ['email', ['email']],
      ['email', []],
    ]);
    expect(report.crashes.every(({ outcome }) => outcome.state === 'succeeded')).toBe(true);
    // Once without a crash, and once in each of four; again where the record was not there yet.
    expect([effects.charge.mock.calls.length, effects.email.mock.calls.length]).toEqual([6, 6]);
  });

  it('is content with a handler that keys each effect', async () => {
    const report = await run(async ({ charge, email }, { cents, to }, attempt) => {
      await charge(cents, keyed(attempt));
      await email(to, new Headers({ 'Idempotency-Key': attempt.childKey('email') }));
    });
    expect(report.doubled).toEqual([]);
    expect(report.crashes).toHaveLength(2);
  });

  it.each<[string, (key: string) => unknown]>([
    ['a text', (key) => key],
    ['a part of a text', (key) => JSON.stringify({ key })],
    ['an object in a list', (key) => [{ headers: { 'Idempotency-Key': key } }]],
    ['Headers', (key) => new Headers({ 'idempotency-key': key })],
    ['a Request', (key) => new Request('https://pay.example', { headers: { 'idempotency-key': key } })],
    ['a Map', (key) => new Map([['key', key]])],
    ['bytes', (key) => Buffer.from(key)],
    [
      'an instance of a class',
      (key) =>
        new (class {
          input = { key };
        })(),
    ],
  ])('finds a child key in %s', async (_, wrap) => {
    const report = await run(({ charge }, { cents }, attempt) =>
      charge(cents, wrap(attempt.childKey('charge'))),
    );
    expect(report.doubled).toEqual([]);
  });

  it('is not deceived by a new key for each attempt', async () => {
    const report = await run(({ charge }, { cents }, attempt) =>
      charge(cents, keyed(attempt, `charge-${attempt.number}`)),
    );
    expect(report.doubled).toEqual(['charge']);
  });

  it('tells the calls of one effect apart by their child keys', async () => {
    const report = await run(async ({ email }, { to }, attempt) => {
      await email(to, keyed(attempt, 'to the customer'));
      await email('shop@example.com', keyed(attempt, 'to the shop'));
    });
    expect(report).toMatchObject({ doubled: [], notCalled: ['charge'] });
    expect(report.crashes.map(({ after }) => after)).toEqual(['email', 'email']);
  });

  it('counts an effect that was under way when its worker died', async () => {
    const report = await run(async ({ charge, email }, { cents, to }, attempt) => {
      await Promise.all([charge(cents, keyed(attempt)), email(to)]);
    });
    expect(report.crashes[0]).toMatchObject({ after: 'charge', doubled: ['email'] });
  });

  it('does not call doubled what a handler finds done, and does not do again', async () => {
    const sent = new Set<string>();
    const report = await crashTest({
      effects: {
        email: (to: string) => Promise.resolve(sent.add(to)),
        isSent: (to: string) => Promise.resolve(sent.has(to)),
      },
      payload,
      reset: () => {
        sent.clear();
      },
      handler:
        ({ email, isSent }) =>
        async ({ to }) => {
          if (!(await isSent(to))) await email(to);
        },
    });
    expect(report.doubled).toEqual(['isSent']);
    expect(report.crashes).toHaveLength(2);
  });

  it.each([1, 4, 8, 16, 64])(
    'lets nothing of a dead worker reach the record: %i turns later',
    async (turns) => {
      const effects = fakes();
      const report = await run(async ({ charge }, { cents }, attempt) => {
        const called = new Promise<void>((resolve) => {
          effects.charge.mockImplementationOnce(async (...args) => {
            void takeTurns(turns).then(resolve);
            return Promise.resolve({ cents, options: args });
          });
        });
        await Promise.race([charge(cents, keyed(attempt)), called]);
        return attempt.number;
      }, effects);
      expect(report.crashes).toMatchObject([{ outcome: { state: 'succeeded', replayed: false, result: 2 } }]);
    },
  );

  it('lets a dead worker begin no effect', async () => {
    const effects = fakes();
    let goOn: () => void = () => undefined;
    const later = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await run(async ({ charge, email }, { cents, to }, attempt) => {
      await Promise.race([charge(cents, keyed(attempt)), later]);
      await email(to);
    }, effects);
    goOn();
    await new Promise(setImmediate);
    // Once without a crash, once after the first, and twice around the second.
    expect(effects.email).toHaveBeenCalledTimes(4);
  });

  it('reports a second attempt that does not succeed', async () => {
    const done = new Set<string>();
    const report = await crashTest({
      effects: {
        insert: (id: string) => {
          if (done.has(id)) return Promise.reject(new Error('there is such a row'));
          done.add(id);
          return Promise.resolve();
        },
      },
      payload,
      reset: () => {
        done.clear();
      },
      handler:
        ({ insert }) =>
        async () =>
          insert('order-7'),
    });
    expect(report.crashes).toMatchObject([
      { doubled: ['insert'], outcome: { state: 'pending', error: { message: 'there is such a row' } } },
    ]);
  });
});

describe('A crash test', () => {
  it('gives each delivery a payload that no other attempt has changed', async () => {
    const report = await run(async ({ charge, email }, order) => {
      if (order.cents > 0) await charge(order.cents);
      order.cents = 0;
      await email(order.to);
    });
    expect(report.crashes.map(({ after }) => after)).toEqual(['charge', 'email']);
    expect(report.doubled).toEqual(['charge', 'email']);
    expect(payload.cents).toBe(995);
  });

  it('gives a payload with methods as it is', async () => {
    const effects = fakes();
    const handler = (given: Fakes) => (body: Buffer) => given.email(body.toString('utf8'));
    await crashTest({ effects, payload: Buffer.from('a@example.com'), handler });
    expect(effects.email).toHaveBeenLastCalledWith('a@example.com');
  });

  it.each([
    ['returns no promise', () => 7],
    ['is a promise', () => Promise.resolve(7)],
  ])('takes an effect that %s', async (_, count) => {
    const handler = (effects: { count: () => unknown }) => async () => {
      expect(await effects.count()).toBe(7);
    };
    const report = await crashTest({ effects: { count: count as () => Promise<number> }, payload, handler });
    expect(report.doubled).toEqual(['count']);
  });
});

describe('A crash test that would show nothing', () => {
  it('is refused where the handler fails by itself, with its error as cause', async () => {
    const cause = new Error('no such member: 4111');
    const refused: unknown = await run(() => Promise.reject(cause)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect(refused).toMatchObject({ cause, issues: [{ field: 'handler' }] });
    expect((refused as Error).message).not.toContain('4111');
  });

  it('is refused where none of the effects was called', async () => {
    await expect(run(() => 'nothing')).rejects.toMatchObject({
      issues: [
        {
          field: 'effects',
          message: 'were not called by the handler: have it call those that it is given',
        },
      ],
    });
  });

  it('is refused where what was called has rejected, and the handler went on', async () => {
    const effects = fakes();
    effects.charge.mockRejectedValue(new Error('declined: 4111'));
    const refused: unknown = await run(async ({ charge }, { cents }) => {
      await charge(cents).catch(() => undefined);
    }, effects).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      issues: [
        {
          field: 'effects',
          message:
            'were called by the handler (charge), but none completed: have them resolve, and the handler await them',
        },
      ],
    });
  });

  it.each([
    ['effects', { effects: {} }],
    ['effects', { effects: undefined }],
    ['effects', { effects: null }],
    ['effects.charge', { effects: { email: () => undefined, charge: 1 } }],
    ['handler', { handler: undefined }],
    ['reset', { reset: true }],
    ['effect', { effect: {} }],
  ])('is refused for a wrong option: %s', async (field, wrong) => {
    const options = { effects: fakes(), payload, handler: () => () => undefined, ...wrong };
    await expect(crashTest(options as never)).rejects.toMatchObject({ issues: [{ field }] });
  });

  const refusalOf = async (options: object): Promise<InvalidOptionsError> => {
    const refused: unknown = await crashTest({ payload, ...options } as never).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    return refused as InvalidOptionsError;
  };

  it('is refused for an absent payload, in words of its own', async () => {
    const absent = crashTest({ effects: fakes(), handler: () => () => undefined } as never);
    await expect(absent).rejects.toThrow(
      'crashTest: payload: is missing: give that of a message, or undefined',
    );
  });

  it('is refused where a fake that is not emptied keeps a planned crash from happening', async () => {
    const done = new Set<number>();
    const charge = (cents: number) => {
      if (done.has(cents)) return Promise.reject(new Error(`charged before: ${cents}`));
      done.add(cents);
      return Promise.resolve();
    };
    const handler = (effects: { charge: typeof charge }) => (order: Order) => effects.charge(order.cents);
    const refused = await refusalOf({ effects: { charge }, handler });
    expect(refused.issues).toMatchObject([{ field: 'effects.charge' }]);
    expect(refused.message).toMatch(/pending, by Error \(the cause of this error\)\. Let reset empty fakes/);
    expect(refused.message).not.toContain('995');
    expect(refused.cause).toMatchObject({ message: 'charged before: 995' });
  });

  it.each([
    ['nothing', () => undefined],
    ['another effect', ({ email }: Fakes) => email('shop@example.com')],
  ])(
    'is refused where a cache of the module has %s done in place of a planned effect',
    async (_, instead) => {
      const cache = new Set<number>();
      const handler = (effects: Fakes) => async (order: Order) => {
        if (cache.has(order.cents)) return instead(effects);
        await effects.charge(order.cents);
        return cache.add(order.cents);
      };
      const refused = await refusalOf({ effects: fakes(), handler });
      expect(refused.issues).toMatchObject([{ field: 'effects.charge' }]);
      expect(refused.message).toContain('keep no state outside of the effects');
    },
  );

  it('is refused where the handler changes a payload of which no copy can be made', async () => {
    class Mail {
      isSent = false;
    }
    const handler = (effects: Fakes) => async (mail: Mail) => {
      if (!mail.isSent) await effects.email('a@example.com');
      mail.isSent = true;
    };
    const refused = await refusalOf({ effects: fakes(), handler, payload: new Mail() });
    expect(refused.issues).toMatchObject([{ field: 'effects.email' }]);
  });

  it.each<[string, (effects: Fakes, attempt: Attempt) => unknown]>([
    ['returns a promise that rejects', async (_, attempt) => Promise.resolve(keyed(attempt))],
    ['throws', (_, attempt) => keyed(attempt)],
    ['returns nothing', () => undefined],
  ])('is refused for a handler in place of its maker, which %s', async (_, handler) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const refused = await refusalOf({ effects: fakes(), handler });
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(refused.message).toBe(
      'crashTest: handler: must return the handler: (effects) => async (payload, attempt) => ...',
    );
    expect(unhandled).not.toHaveBeenCalled();
  });
});
