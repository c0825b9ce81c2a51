import { AssertionError } from 'node:assert';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ClaimReply, Settlement, Store } from '../../src/store.ts';
import { storeContract } from '../../testing/contracts/index.ts';
import { createMemoryStore, type MemoryStore } from '../../testing/index.ts';

/** What a store does in place of what the memory store does. */
type Fault = (memory: MemoryStore) => Partial<Store>;

function settling(change: (settlement: Settlement) => Settlement): Fault {
  return (memory) => ({
    settle: (requests, scope) =>
      memory.settle(
        requests.map((request) => ({ ...request, settlement: change(request.settlement) })),
        scope,
      ),
  });
}

/** The token that owns each key. */
function withOwners(
  memory: MemoryStore,
): Pick<Store, 'claim'> & { readonly ownerOf: (key: string) => string } {
  const owners = new Map<string, string>();
  return {
    async claim(requests, terms) {
      const replies = await memory.claim(requests, terms);
      requests.forEach(({ key, token }, index) => {
        if (replies[index]?.kind === 'claimed') owners.set(key, token);
      });
      return replies;
    },
    ownerOf: (key) => owners.get(key) ?? '',
  };
}

/** Reads and writes the records of another scope. */
function inScopes(change: (scope: string) => string): Fault {
  return (memory) => ({
    claim: (requests, terms) => memory.claim(requests, { ...terms, scope: change(terms.scope) }),
    settle: (requests, scope) => memory.settle(requests, change(scope)),
    extend: (requests, terms) => memory.extend(requests, { ...terms, scope: change(terms.scope) }),
    lookup: async (key, scope) => await memory.lookup?.(key, change(scope)),
  });
}

const JOINED = 'scope and key are two things: joined by any character they would be one for two messages';

/** One text for both. */
function joining(separator: string): Fault {
  return (memory) => {
    const scope = 'all';
    const joined = <Request extends { key: string }>(requests: readonly Request[], of: string) =>
      requests.map((request) => ({ ...request, key: `${of}${separator}${request.key}` }));
    return {
      claim: (requests, terms) => memory.claim(joined(requests, terms.scope), { ...terms, scope }),
      settle: (requests, of) => memory.settle(joined(requests, of), scope),
      extend: (requests, terms) => memory.extend(joined(requests, terms.scope), { ...terms, scope }),
      lookup: async (key, of) => await memory.lookup?.(`${of}${separator}${key}`, scope),
    };
  };
}

const FAULTS: Record<string, { readonly fault: Fault; readonly found: string }> = {
  'settles by the key alone': {
    fault(memory) {
      const owners = withOwners(memory);
      const owned = <Request extends { key: string }>(request: Request) => ({
        ...request,
        token: owners.ownerOf(request.key),
      });
      return { ...owners, settle: (requests, scope) => memory.settle(requests.map(owned), scope) };
    },
    found: 'a settle with a token that is not the owner is lost, and changes nothing',
  },
  'extends by the key alone': {
    fault(memory) {
      const owners = withOwners(memory);
      return {
        ...owners,
        extend: (requests, terms) =>
          memory.extend(
            requests.map(({ key }) => ({ key, token: owners.ownerOf(key) })),
            terms,
          ),
      };
    },
    found: 'a lease cannot be extended after a takeover, nor does the try shorten the new lease',
  },
  'keeps steps by the key alone': {
    fault(memory) {
      const owners = withOwners(memory);
      return {
        ...owners,
        keep: (requests, scope) =>
          memory.keep(
            requests.map((request) => ({ ...request, token: owners.ownerOf(request.key) })),
            scope,
          ),
      };
    },
    found: 'steps are lost for a token that is not the owner, and change nothing',
  },
  'keeps the first steps of an attempt alone': {
    fault(memory) {
      const kept = new Set<string>();
      return {
        async keep(requests, scope) {
          const first = requests.filter(({ key, token }) => !kept.has(`${key} ${token}`));
          for (const { key, token } of first) kept.add(`${key} ${token}`);
          await memory.keep(first, scope);
          return requests.map(() => 'kept');
        },
      };
    },
    found: 'steps replace earlier ones, and a takeover gets them',
  },
  'reads a record, and writes it later': {
    fault: (memory) => ({
      async claim(requests, terms) {
        const seen = await Promise.all(
          requests.map(async ({ key }) => await memory.lookup?.(key, terms.scope)),
        );
        await nextTurn();
        const replies = await memory.claim(requests, terms);
        const claimed: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };
        return replies.map((reply, index) => (seen[index] === undefined ? claimed : reply));
      },
    }),
    found: 'of many that claim an absent key at the same time, exactly one owns it',
  },
  'gives every lease the same length': {
    fault: (memory) => ({
      claim: (requests, terms) => memory.claim(requests, { ...terms, leaseMs: 60_000 }),
    }),
    found: 'the lease that a claim asks for is the lease that it gets',
  },
  'forgets which token died': {
    fault: (memory) => ({
      async claim(requests, terms) {
        const replies = await memory.claim(requests, terms);
        return replies.map((reply) => (reply.kind === 'claimed' ? { ...reply, deadToken: null } : reply));
      },
    }),
    found: 'a lapsed lease is taken over, as the next attempt',
  },
  'counts an interrupted attempt': {
    fault: settling((settlement) =>
      settlement.kind === 'release' ? { ...settlement, countsAs: 'failure' } : settlement,
    ),
    found: 'an interrupted attempt is taken back from the count',
  },
  'has no backoff': {
    fault: settling((settlement) =>
      settlement.kind === 'release' ? { ...settlement, retryAfterMs: 0 } : settlement,
    ),
    found: 'a released key waits for its backoff, and reports the error and the time left',
  },
  'keeps records without end': {
    fault: settling((settlement) =>
      settlement.kind === 'release' ? settlement : { ...settlement, retentionMs: Number.MAX_SAFE_INTEGER },
    ),
    found: 'a succeeded record answers until its retention ends',
  },
  'has no limit of deaths': {
    fault: (memory) => ({
      claim: (requests, terms) => memory.claim(requests, { ...terms, maxDeaths: Infinity }),
    }),
    found: 'workers that died silently use up deaths, and leave no error',
  },
  'lets every claim own suspects': {
    fault: (memory) => ({
      claim: (requests, terms) => memory.claim(requests, { ...terms, mayOwnSuspects: true }),
    }),
    found: 'a suspect is owned only by a claim that may, and the others write nothing',
  },
  'compares no fingerprints': {
    fault: (memory) => ({
      claim: (requests, terms) =>
        memory.claim(
          requests.map((request) => ({ ...request, fingerprint: '' })),
          terms,
        ),
    }),
    found: 'another payload for an owned key is refused, and changes nothing',
  },
  'compares the start of fingerprints': {
    fault: (memory) => ({
      claim: (requests, terms) =>
        memory.claim(
          requests.map((request) => ({ ...request, fingerprint: request.fingerprint.slice(0, 60) })),
          terms,
        ),
    }),
    found: 'fingerprints are compared to their last character',
  },
  'claims what it is to look up': {
    fault: (memory) => ({
      async lookup(key, scope) {
        const terms = { leaseMs: 60_000, maxAttempts: 3, maxDeaths: 5, failedRetentionMs: 60_000 };
        const request = { key, token: '00000000-0000-4000-8000-0000000000ff', fingerprint: '' };
        const found = await memory.lookup?.(key, scope);
        await memory.claim([request], { scope, mayOwnSuspects: true, ...terms });
        return found;
      },
    }),
    found: 'a lookup finds nothing under a key that was never claimed, and makes no record',
  },
  'answers in another order': {
    fault: (memory) => ({
      claim: async (requests, terms) => (await memory.claim(requests, terms)).toReversed(),
    }),
    found: 'claims of one call are answered each, in their order',
  },
  'compares keys without their case': {
    fault: (memory) => ({
      claim: (requests, terms) =>
        memory.claim(
          requests.map((request) => ({ ...request, key: request.key.toLowerCase() })),
          terms,
        ),
    }),
    found: 'keys are compared as they are, whatever characters they have',
  },
  'joins scope and key by a colon': { fault: joining(':'), found: JOINED },
  'joins scope and key by what derived scopes have': { fault: joining('>'), found: JOINED },
  'joins scope and key by a control character': { fault: joining('\u001f'), found: JOINED },
  'cuts scopes': {
    fault: inScopes((scope) => scope.slice(0, 500)),
    found: 'two of the longest scopes that differ in their last character are two scopes',
  },
  'keeps retentions in 32 bits': {
    fault: settling((settlement) =>
      settlement.kind === 'succeed' ? { ...settlement, retentionMs: settlement.retentionMs | 0 } : settlement,
    ),
    found: 'a succeeded record answers for a retention of more milliseconds than 32 bits hold',
  },
  'keeps retentions of failures in 32 bits': {
    fault: settling((settlement) =>
      settlement.kind === 'fail' ? { ...settlement, retentionMs: settlement.retentionMs | 0 } : settlement,
    ),
    found: 'a failed record answers for a retention of more milliseconds than 32 bits hold',
  },
  'cuts the error of a failure': {
    fault: settling((settlement) =>
      settlement.kind === 'fail' ? { ...settlement, error: settlement.error.slice(0, 8_000) } : settlement,
    ),
    found: 'the long error of a failed record comes back whole',
  },
  'cuts the error of a release': {
    fault: settling((settlement) =>
      settlement.kind === 'release' && settlement.error !== null
        ? { ...settlement, error: settlement.error.slice(0, 8_000) }
        : settlement,
    ),
    found: 'the long error of a released record comes back whole',
  },
  'answers extensions in another order': {
    fault: (memory) => ({
      extend: async (requests, terms) => (await memory.extend(requests, terms)).toReversed(),
    }),
    found: 'extensions of one call are answered each, in their order',
  },
  'is never ready': {
    fault: () => ({ check: () => Promise.reject(new Error('not ready')) }),
    found: 'check resolves for a store that works',
  },
};

function casesOf(fault: Fault, can = { lookup: true, steps: true }) {
  return storeContract({
    can,
    open() {
      const memory = createMemoryStore();
      return {
        store: { ...memory, ...fault(memory) },
        advance: (_, milliseconds) => {
          memory.advance(milliseconds);
        },
      };
    },
  });
}

function caseOf(fault: Fault, name: string) {
  return casesOf(fault).find((each) => each.name === name) ?? expect.unreachable(`there is no case: ${name}`);
}

describe('The contract of a store', () => {
  test.each(Object.entries(FAULTS))('finds one that %s', async (_, { fault, found }) => {
    await expect(caseOf(fault, found).run()).rejects.toThrow(`broken: ${found}`);
  });

  test('has cases of different names', () => {
    const names = casesOf(() => ({})).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(new Set(names).size).toBe(names.length);
  });

  test('says which rule is broken, and what the store was asked and has answered', async () => {
    const { fault, found } = FAULTS['settles by the key alone'] ?? expect.unreachable();
    const error: unknown = await caseOf(fault, found)
      .run()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({ actual: 'settled', expected: 'lost' });
    const { message } = error as Error;
    expect(message).toContain(
      'the rule: a settle changes the record of the token that owns it, once, and no other',
    );
    expect(message).toMatch(/^settle \[\{"key":"key".*: \["settled"\]$/m);
  });

  const memory = createMemoryStore();
  const ADVANCE = 'advance moves the clock of the records by milliseconds';
  test.each([
    ['does nothing', () => undefined, 'too little: owned, released, succeeded'],
    [
      'takes milliseconds for microseconds',
      (_: string, milliseconds: number) => {
        memory.advance(milliseconds / 1_000);
      },
      'too little: owned, released, succeeded',
    ],
    [
      'takes milliseconds for seconds',
      (_: string, milliseconds: number) => {
        memory.advance(milliseconds * 1_000);
      },
      'too far: owned, released, succeeded',
    ],
  ])('finds an advance that %s, in its first case', async (_, advance, words) => {
    const [first] = storeContract({
      can: { lookup: true, steps: true },
      open: () => ({ store: memory, advance }),
    });
    expect(first?.name).toBe(ADVANCE);
    await expect(first?.run()).rejects.toThrow(words);
  });

  test.each([
    [
      createMemoryStore,
      'store: must be a store with claim, settle and extend: have open return { store, advance }',
    ],
    [() => undefined, 'open must return an object: { store, advance }'],
    [() => ({ store: memory }), 'advance: must be a function of (scope, milliseconds)'],
    [() => Promise.reject(new Error('no server')), 'Error: no server'],
  ])('says in each case what is wrong with open: %s', async (open, words) => {
    const cases = storeContract({ can: { lookup: true, steps: true }, open: open as never });
    const { name, run } = cases.at(-1) ?? expect.unreachable();
    const failed = run();
    await expect(failed).rejects.toThrow(`broken: ${name}`);
    await expect(failed).rejects.toThrow(words);
  });

  test('keeps what a store throws as the cause', async () => {
    const down = new Error('the server is down');
    const { run } = caseOf(() => ({ claim: () => Promise.reject(down) }), 'the first claim of a key owns it');
    await expect(run()).rejects.toMatchObject({
      message: expect.stringContaining('Error: the server is down') as string,
      cause: down,
    });
  });

  test.each([
    ['lookup', 'a look', 'has no lookup'],
    ['steps', 'steps', 'has no keep'],
  ])('has no cases of %s for a store without, and asks it to declare them', async (ability, cases, name) => {
    const without = casesOf(() => ({}), { lookup: true, steps: true, [ability]: false });
    expect(without.filter((each) => each.name.startsWith(cases))).toEqual([]);
    const { run } = without.find((each) => each.name === name) ?? expect.unreachable();
    await expect(run()).rejects.toThrow(`set can.${ability} to true`);
  });

  test.each([
    [undefined, 'the store must be an object: { can, open }'],
    [{ open: () => undefined }, 'can: must say what the store has'],
    [{ can: { lookup: true, steps: true } }, 'open: must be a function that gives { store, advance }'],
  ])('refuses what is no store: %j', (wrong, words) => {
    expect(() => storeContract(wrong as never)).toThrow(words);
  });
});
