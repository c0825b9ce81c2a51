import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Settlement, Store } from '../../../src/store.ts';
import {
  HOUR,
  MINUTE,
  NO_FINGERPRINT,
  OTHER_PAYLOAD,
  OTHER_VERSION,
  PAYLOAD,
} from '../../../testing/contracts/store/actor.ts';
import type { Model } from './model.ts';

const SCOPES = ['here', 'there'] as const;
type Scope = (typeof SCOPES)[number];

/** One of each scope, which share nothing. */
export type Models = Readonly<Record<Scope, Model>>;

export interface Real {
  readonly store: Store;
  readonly scopes: Readonly<Record<Scope, string>>;
  /** Lets milliseconds pass, in both scopes. */
  readonly pass: (milliseconds: number) => unknown;
}

type Command<Of extends Real> = fc.AsyncCommand<Models, Of>;
type Terms = Omit<Parameters<Store['claim']>[1], 'scope'>;

/**
 * The clock moves by whole hours and everything lasts a half hour more: the real time that a run takes, which the
 * model does not know of, can so change no answer.
 */
export const duration = fc.integer({ min: 1, max: 4 }).map((hours) => hours * HOUR + HOUR / 2);
export const step = fc.integer({ min: 1, max: 3 }).map((hours) => hours * HOUR);

export const scope = fc.constantFrom<Scope[]>('here', 'here', 'here', 'here', 'there');
export const key = fc.constantFrom('a', 'a', 'b');
export const token = fc.constantFrom(
  ...['1', '2'].map((digit) => `0000000${digit}-0000-4000-8000-00000000000${digit}`),
);
const fingerprint = fc.oneof(
  { weight: 9, arbitrary: fc.constant(PAYLOAD) },
  fc.constantFrom(OTHER_PAYLOAD, OTHER_VERSION, NO_FINGERPRINT),
);
const text = fc.constantFrom('"x"', '"y"');
const storedError = fc.constantFrom('{"name":"X","message":"x"}', '{"name":"Y","message":"y"}');

export const settlement: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({
    kind: fc.constant('succeed' as const),
    result: fc.option(text),
    resultOmitted: fc.constant(null),
    retentionMs: duration,
  }),
  fc.record({
    kind: fc.constant('fail' as const),
    reason: fc.constant('terminal' as const),
    error: storedError,
    retentionMs: duration,
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      error: fc.option(storedError),
      retryAfterMs: fc.oneof(fc.constant(0), duration),
      countsAs: fc.constantFrom('failure' as const, 'deferral' as const, 'interruption' as const),
    }),
  },
);

const terms: fc.Arbitrary<Terms> = fc.record({
  leaseMs: duration,
  maxAttempts: fc.constantFrom(1, 2, 3, 3, 3, Infinity),
  maxDeaths: fc.constantFrom(1, 2, 3, 3, 5, Infinity),
  failedRetentionMs: duration,
  mayOwnSuspects: fc.boolean(),
});

export function batchOf<Request extends { readonly key: string }>(request: fc.Arbitrary<Request>) {
  return fc.uniqueArray(request, { selector: (each) => each.key, minLength: 1, maxLength: 2 });
}

/** A command that does the same to the model and to the store, and compares what both say. */
export function command<Of extends Real = Real>(
  name: string,
  ofModel: (models: Models) => readonly unknown[],
  ofStore: (real: Of) => Promise<readonly unknown[]>,
): Command<Of> {
  return {
    check: () => true,
    async run(models, real) {
      const expected = ofModel(models);
      const actual = await ofStore(real);
      expect(actual).toEqual(expected.map(withTimeTaken));
    },
    toString: () => name,
  };
}

/** The model's times are exact; a store's are nearer to their end by the time that the run has taken. */
function withTimeTaken(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) return reply;
  if ('retryAfterMs' in reply) return { ...reply, retryAfterMs: between(reply.retryAfterMs, -10 * MINUTE) };
  return 'ageMs' in reply ? { ...reply, ageMs: between(reply.ageMs, 10 * MINUTE) } : reply;
}

function between(exact: unknown, takenMs: number): unknown {
  const ends = [Number(exact), Number(exact) + takenMs] as const;
  return expect.toSatisfy((ms: number) => ms >= Math.min(...ends) && ms <= Math.max(...ends));
}

const claims = fc
  .tuple(scope, batchOf(fc.record({ key, token, fingerprint })), terms)
  .map(([where, requests, asked]) =>
    command(
      `claim(${where}, ${fc.stringify(requests)}, ${fc.stringify(asked)})`,
      (models) => requests.map((request) => models[where].claim(request, asked)),
      ({ store, scopes }) => store.claim(requests, { scope: scopes[where], ...asked }),
    ),
  );

const settles = fc.tuple(scope, batchOf(fc.record({ key, token, settlement }))).map(([where, requests]) =>
  command(
    `settle(${where}, ${fc.stringify(requests)})`,
    (models) => requests.map((request) => models[where].settle(request)),
    ({ store, scopes }) => store.settle(requests, scopes[where]),
  ),
);

const extensions = fc
  .tuple(scope, batchOf(fc.record({ key, token })), duration)
  .map(([where, requests, leaseMs]) =>
    command(
      `extend(${where}, ${fc.stringify(requests)}, ${leaseMs})`,
      (models) => requests.map((request) => models[where].extend(request, leaseMs)),
      ({ store, scopes }) => store.extend(requests, { scope: scopes[where], leaseMs }),
    ),
  );

/** Names in the order in which they end, so that they can be shown by it. */
const steps = fc
  .subarray(['charge', 'mail', 'ship'])
  .map((names) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, { ms: at }]))));

const keeps = fc.tuple(scope, batchOf(fc.record({ key, token, steps }))).map(([where, requests]) =>
  command(
    `keep(${where}, ${fc.stringify(requests)})`,
    (models) => requests.map((request) => models[where].keep(request)),
    async ({ store, scopes }) => (await store.keep?.(requests, scopes[where])) ?? [],
  ),
);

const lookups = fc.tuple(scope, key).map(([where, one]) =>
  command(
    `lookup(${where}, ${one})`,
    (models) => [models[where].lookup(one)],
    async ({ store, scopes }) => [await store.lookup?.(one, scopes[where])],
  ),
);

const waits = step.map((milliseconds) =>
  command(
    `advance(${milliseconds})`,
    (models) => {
      for (const where of SCOPES) models[where].advance(milliseconds);
      return [];
    },
    async ({ pass }) => {
      await pass(milliseconds);
      return [];
    },
  ),
);

/** What a store is asked. */
export const STORE = [claims, claims, settles, extensions, keeps, lookups, waits];

export function historiesOf<Of extends Real>(commands: readonly fc.Arbitrary<Command<Of>>[]) {
  return fc.commands<Models, Of, false>([...commands], { maxCommands: 100, size: 'max' });
}
