import * as z from 'zod/mini';
import { lazily } from '../../../src/lib/lazily.ts';
import { callback, flag, parseOptions, withMethods } from '../../../src/options/parse-options.ts';
import { equals } from '../assertions.ts';
import { casesOf, type ContractCase } from '../contract-case.ts';
import { actorOn, type ControlledStore, type StoreRule } from './actor.ts';
import { ADVANCE } from './advance.ts';
import { ATTEMPTS } from './attempts.ts';
import { BATCH } from './batch.ts';
import { CLAIM } from './claim.ts';
import { EXPIRY } from './expiry.ts';
import { EXTEND } from './extend.ts';
import { LOOKUP } from './lookup.ts';
import { MISMATCH } from './mismatch.ts';
import { RACES } from './races.ts';
import { recordedStore } from './recorded-store.ts';
import { RELEASE } from './release.ts';
import { SETTLE } from './settle.ts';
import { STEPS } from './steps.ts';
import { TAKEOVER } from './takeover.ts';
import { TEXT } from './text.ts';

/** What a store may leave out. */
export interface StoreAbilities {
  /** Has the verb `lookup`, which `handleOnce.lookup` needs. */
  readonly lookup: boolean;
  /** Has the verb `keep`, which `attempt.step` needs. */
  readonly steps: boolean;
}

/** A store, as its contract uses it. */
export interface StoreUnderTest {
  /** Decides which cases there are. */
  readonly can: StoreAbilities;
  /** Called by each case. It may give the same store each time: a case has scopes of its own. */
  readonly open: () => ControlledStore | Promise<ControlledStore>;
}

const WITHOUT_LOOKUP: StoreRule = {
  rule: 'a store declares what it cannot do: set can.lookup to true, and its cases run too',
  cases: {
    'has no lookup': ({ store }) => {
      equals('lookup' in store, false);
      return Promise.resolve();
    },
  },
};

const WITHOUT_STEPS: StoreRule = {
  rule: 'a store declares what it cannot do: set can.steps to true, and its cases run too',
  cases: {
    'has no keep': ({ store }) => {
      equals('keep' in store, false);
      return Promise.resolve();
    },
  },
};

const READY: StoreRule = {
  rule: 'check is one read, which throws if the other verbs cannot work',
  cases: {
    async 'check resolves for a store that works'({ store }) {
      equals(await store.check?.(), undefined);
    },
  },
};

/** What depends on how requests and replies get there, more than on what a store decides. */
const TRANSPORT = [BATCH, TEXT];
const EVERY = [
  ADVANCE,
  CLAIM,
  RELEASE,
  TAKEOVER,
  ATTEMPTS,
  MISMATCH,
  EXPIRY,
  SETTLE,
  EXTEND,
  ...TRANSPORT,
  RACES,
  READY,
];

const storeSchema = lazily(() =>
  z.object(
    {
      can: z.strictObject(
        { lookup: flag(), steps: flag() },
        { error: 'must say what the store has: { lookup: true, steps: true }' },
      ),
      open: callback<StoreUnderTest['open']>('a function that gives { store, advance }'),
    },
    { error: 'the store must be an object: { can, open }' },
  ),
);

const openedSchema = lazily(() =>
  z.object(
    {
      store: withMethods<ControlledStore['store']>(
        ['claim', 'settle', 'extend'],
        'a store with claim, settle and extend: have open return { store, advance }',
      ),
      advance: callback<ControlledStore['advance']>(
        'a function of (scope, milliseconds) that lets time pass for the records of the scope',
      ),
    },
    { error: 'open must return an object: { store, advance }' },
  ),
);

/**
 * Test cases for what every store promises, through its verbs only: for any test runner.
 *
 * No case waits: time moves by `advance`. A case takes some milliseconds, and up to 30 seconds where the store does not
 * answer. A case that fails names the rule, and shows the calls and answers of the store. Throws `InvalidOptionsError`
 * for a value that is not a store.
 *
 * @example
 * ```ts
 * const cases = storeContract({
 *   can: { lookup: true, steps: true },
 *   open: () => {
 *     const store = createMemoryStore();
 *     return { store, advance: (_scope, milliseconds) => store.advance(milliseconds) };
 *   },
 * });
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function storeContract(store: StoreUnderTest): readonly ContractCase[] {
  const { can } = parseOptions('storeContract', storeSchema(), store);
  return storeCases([...EVERY, can.lookup ? LOOKUP : WITHOUT_LOOKUP, can.steps ? STEPS : WITHOUT_STEPS], () =>
    store.open(),
  );
}

/** For a store that keeps the contract elsewhere, over another client: each kind of request, reply and text. */
export function transportCases(open: StoreUnderTest['open']): readonly ContractCase[] {
  return storeCases(TRANSPORT, open);
}

function storeCases(rules: readonly StoreRule[], open: StoreUnderTest['open']): readonly ContractCase[] {
  return casesOf(rules, async () => {
    const opened = await open();
    parseOptions('what open gives', openedSchema(), opened);
    const calls: string[] = [];
    const controlled: ControlledStore = {
      store: recordedStore(opened.store, calls),
      advance(scope, milliseconds) {
        calls.push(`advance ${milliseconds}`);
        return opened.advance(scope, milliseconds);
      },
    };
    return { subject: actorOn(controlled), calls };
  });
}
