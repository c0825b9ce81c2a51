import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Settlement, Store } from '../../../src/store.ts';
import {
  type ControlledStore,
  HOUR,
  MINUTE,
  NO_FINGERPRINT,
  OTHER_PAYLOAD,
  OTHER_VERSION,
  PAYLOAD,
} from '../../../testing/contracts/store/actor.ts';
import type { Model } from './model.ts';

export interface Real extends ControlledStore {
  readonly scope: string;
}

type Command = fc.AsyncCommand<Model, Real>;
type Terms = Omit<Parameters<Store['claim']>[1], 'scope'>;

/**
 * The clock moves by whole hours and everything lasts a half hour more: the real time that a run takes, which the
 * model does not know of, can so change no answer.
 */
const duration = fc.integer({ min: 1, max: 4 }).map((hours) => hours * HOUR + HOUR / 2);
const step = fc.integer({ min: 1, max: 3 }).map((hours) => hours * HOUR);

const key = fc.constantFrom('a', 'b');
const token = fc.constantFrom(
  ...['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`),
);
const fingerprint = fc.oneof(
  { weight: 9, arbitrary: fc.constant(PAYLOAD) },
  fc.constantFrom(OTHER_PAYLOAD, OTHER_VERSION, NO_FINGERPRINT),
);
const text = fc.constantFrom('"x"', '"y"');

const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({
    kind: fc.constant('succeed' as const),
    result: fc.option(text),
    resultOmitted: fc.constant(null),
    retentionMs: duration,
  }),
  fc.record({
    kind: fc.constant('fail' as const),
    reason: fc.constant('terminal' as const),
    error: text,
    retentionMs: duration,
  }),
  fc.record({
    kind: fc.constant('release' as const),
    error: fc.option(text),
    retryAfterMs: fc.oneof(fc.constant(0), duration),
    uncounted: fc.boolean(),
  }),
);

const terms: fc.Arbitrary<Terms> = fc.record({
  leaseMs: duration,
  maxAttempts: fc.constantFrom(1, 2, 3, 3, 3, Infinity),
  maxDeaths: fc.constantFrom(1, 2, 3, 3, 5, Infinity),
  failedRetentionMs: duration,
  mayOwnSuspects: fc.boolean(),
});

function batchOf<Request extends { readonly key: string }>(request: fc.Arbitrary<Request>) {
  return fc.uniqueArray(request, { selector: (each) => each.key, minLength: 1, maxLength: 2 });
}

/** A command that does the same to the model and to the store, and compares what both say. */
function command(
  name: string,
  ofModel: (model: Model) => readonly unknown[],
  ofStore: (real: Real) => Promise<readonly unknown[]>,
): Command {
  return {
    check: () => true,
    async run(model, real) {
      const expected = ofModel(model);
      const actual = await ofStore(real);
      expect(actual).toEqual(expected.map(withTimeTaken));
    },
    toString: () => name,
  };
}

/** The model's times are exact; a store's may be shorter by the time that the run has taken. */
function withTimeTaken(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null || !('retryAfterMs' in reply)) return reply;
  const exact = reply.retryAfterMs as number;
  const isClose: unknown = expect.toSatisfy((ms: number) => ms <= exact && ms > exact - 10 * MINUTE);
  return { ...reply, retryAfterMs: isClose };
}

const claims = fc.tuple(batchOf(fc.record({ key, token, fingerprint })), terms).map(([requests, asked]) =>
  command(
    `claim(${fc.stringify(requests)}, ${fc.stringify(asked)})`,
    (model) => requests.map((request) => model.claim(request, asked)),
    ({ store, scope }) => store.claim(requests, { scope, ...asked }),
  ),
);

const settles = batchOf(fc.record({ key, token, settlement })).map((requests) =>
  command(
    `settle(${fc.stringify(requests)})`,
    (model) => requests.map((request) => model.settle(request)),
    ({ store, scope }) => store.settle(requests, scope),
  ),
);

const extensions = fc.tuple(batchOf(fc.record({ key, token })), duration).map(([requests, leaseMs]) =>
  command(
    `extend(${fc.stringify(requests)}, ${leaseMs})`,
    (model) => requests.map((request) => model.extend(request, leaseMs)),
    ({ store, scope }) => store.extend(requests, { scope, leaseMs }),
  ),
);

const waits = step.map((milliseconds) =>
  command(
    `advance(${milliseconds})`,
    (model) => {
      model.advance(milliseconds);
      return [];
    },
    async ({ advance, scope }) => {
      await advance(scope, milliseconds);
      return [];
    },
  ),
);

export const histories = fc.commands([claims, claims, settles, extensions, waits], {
  maxCommands: 40,
  size: 'max',
});
