import { AssertionError } from 'node:assert';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ClaimReply, Settlement, Store } from '../../src/store.ts';
import { createMemoryStore, type MemoryStore, storeContract } from '../../src/testing.ts';

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
  'reads a record, and writes it later': {
    fault: (memory) => ({
      async claim(requests, terms) {
        const seen = await Promise.all(
          requests.map(async ({ key }) => await memory.lookup?.(key, terms.scope)),
        );
        await nextTurn();
        const replies = await memory.claim(requests, terms);
        const claimed: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, deadToken: null };
        return replies.map((reply, index) => (seen[index] === undefined ? claimed : reply));
      },
    }),
    found: 'of many that claim an absent key at one moment exactly one owns it',
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
      settlement.kind === 'release' ? { ...settlement, uncounted: false } : settlement,
    ),
    found: 'an interrupted attempt is taken back from the count',
  },
  'has no backoff': {
    fault: settling((settlement) =>
      settlement.kind === 'release' ? { ...settlement, retryAfterMs: 0 } : settlement,
    ),
    found: 'a released key waits for its backoff, and tells the error and the time left',
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
    found: 'workers that died without a word use up deaths, and leave no error',
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
    found: 'a look finds nothing under a key that was never claimed, and makes no record',
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
  'is never ready': {
    fault: () => ({ check: () => Promise.reject(new Error('not ready')) }),
    found: 'check finds nothing to say of a store that works',
  },
};

function casesOf(fault: Fault, can = { lookup: true }) {
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

  test('keeps what a store throws as the cause', async () => {
    const down = new Error('the server is down');
    const { run } = caseOf(() => ({ claim: () => Promise.reject(down) }), 'the first claim of a key owns it');
    await expect(run()).rejects.toMatchObject({
      message: expect.stringContaining('Error: the server is down') as string,
      cause: down,
    });
  });

  test('has no cases of a lookup for a store without one, and asks it to declare one', async () => {
    const without = casesOf(() => ({}), { lookup: false });
    expect(without.filter(({ name }) => name.startsWith('a look'))).toEqual([]);
    const { run } = without.find(({ name }) => name === 'has no lookup') ?? expect.unreachable();
    await expect(run()).rejects.toThrow('set can.lookup to true');
  });

  test.each([
    [undefined, 'the store must be an object: { can, open }'],
    [{ open: () => undefined }, 'can: must say whether the store has a lookup'],
    [{ can: { lookup: true } }, 'open: must be a function that gives { store, advance }'],
  ])('refuses what is no store: %j', (wrong, words) => {
    expect(() => storeContract(wrong as never)).toThrow(words);
  });
});
