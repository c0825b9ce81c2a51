import fc from 'fast-check';
import { createHandleOnce, type DerivedScope } from 'handle-once';
import { onceEachKafkaRecord } from 'handle-once/lambda';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, it, test, vi } from 'vitest';
import {
  derivedScope,
  derivedScopeFault,
  nameOfKind,
  scopeFault,
  scopeKinds,
} from '../../src/options/scope.ts';
import { issuesOf } from '../support/issues-of.ts';

/** Texts that try to look like what is added to a scope. */
const tricky = fc.string({
  unit: fc.constantFrom('>', ':', '/', '%', '3', 'E', '\0', '😀', ...scopeKinds, '>kafka:', '%3E', 'a'),
  minLength: 1,
  maxLength: 6,
});
const derived: fc.Arbitrary<DerivedScope> = fc.record({ kind: fc.constantFrom(...scopeKinds), name: tricky });
const own = tricky.filter((text) => scopeFault(text) === undefined);
/** A scope that a user wrote, and what is derived from it, one from the other. */
const path = fc.record({ scope: own, parts: fc.array(derived, { maxLength: 3 }) });

const textOf = ({ scope, parts }: { scope: string; parts: readonly DerivedScope[] }): string =>
  parts.reduce(derivedScope, scope);

describe('a derived scope', () => {
  it.each<[scope: string, derived: DerivedScope, text: string]>([
    ['billing', { kind: 'kafka', name: 'workers' }, 'billing>kafka:workers'],
    ['billing', { kind: 'webhook', name: 'workers' }, 'billing>webhook:workers'],
    ['billing/eu', { kind: 'kafka', name: 'eu/größe 50%' }, 'billing/eu>kafka:eu%2Fgr%C3%B6%C3%9Fe%2050%25'],
    ['billing', { kind: 'tenant', name: 'a>kafka:b' }, 'billing>tenant:a%3Ekafka%3Ab'],
    ['billing>tenant:acme', { kind: 'kafka', name: 'workers' }, 'billing>tenant:acme>kafka:workers'],
  ])('of %s and %j is %s', (scope, part, text) => {
    expect(derivedScope(scope, part)).toBe(text);
    expect(nameOfKind(text, part.kind)).toBe(part.name);
  });

  it.each(['', 'kafka:workers', 'billing>kafka:', 'billing>kafka:50%', 'billing>kafka:workers>tenant:acme'])(
    'of a consumer group is not %j',
    (scope) => {
      expect(nameOfKind(scope, 'kafka')).toBeUndefined();
    },
  );

  it('is no other kind’s, scope’s or name’s, and no scope that a user can write', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(textOf(one)).not.toBe(textOf(other));
        if (one.parts.length > 0) expect(scopeFault(textOf(one))).toContain("must not contain '>'");
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused where it is longer than the store keeps, and kept where it is not', () => {
    const scope = fc
      .string({ unit: fc.constantFrom('a', 'ß', '€', '😀'), minLength: 1, maxLength: 512 })
      .filter((text) => scopeFault(text) === undefined);
    const name = fc.string({ unit: fc.constantFrom('a', 'ß', '>'), minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(scope, name, (base, wanted) => {
        const text = derivedScope(base, { kind: 'kafka', name: wanted });
        const fits = text.length <= 512 && Buffer.byteLength(text) <= 1_024;
        expect(derivedScopeFault(base, { kind: 'kafka', name: wanted }) === undefined).toBe(fits);
      }),
    );
  });
});

describe('inScope', () => {
  const billing = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const scopeOf = (scope: unknown): string => billing.inScope(scope as string).settings.scope;

  it('replaces the scope by a text, and adds to it what is derived', () => {
    const acme = billing.inScope({ kind: 'tenant', name: 'acme' });
    expect(acme.settings.scope).toBe('billing>tenant:acme');
    expect(acme.inScope({ kind: 'kafka', name: 'a' }).settings.scope).toBe('billing>tenant:acme>kafka:a');
    expect(acme.inScope('shipping').settings.scope).toBe('shipping');
  });

  it.each<[what: unknown, field: string, message: RegExp]>([
    ['billing>kafka:workers', 'scope', /must not contain '>'.*inScope\(\{ kind, name \}\)/],
    [{ kind: 'sqs', name: 'a' }, 'scope.kind', /must be 'http', 'kafka', 'webhook' or 'tenant'/],
    [{ kind: 'tenant' }, 'scope.name', /must be a string, got undefined/],
    [{ kind: 'tenant', name: '' }, 'scope.name', /must not be empty/],
    [{ kind: 'tenant', name: '\ud800' }, 'scope.name', /lone surrogate/],
    [{ kind: 'tenant', name: 'x'.repeat(500) }, 'scope.name', /at most 512 characters, got 515/],
  ])('refuses %j by name', (scope, field, message) => {
    expect(issuesOf(() => scopeOf(scope))).toEqual([
      { field, message: expect.stringMatching(message) as string },
    ]);
  });
});

test('a webhook, a consumer group, a tenant and a plain scope of one name have records of their own', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const run = vi.fn();
  const webhook = onceEachWebhook(
    { handleOnce, source: 'github', name: 'acme', verify: 'already-verified' },
    run,
  );
  const record = { topic: 'a', partition: 0, offset: 0, timestamp: 0, value: btoa('{}') };
  const ofGroup = onceEachKafkaRecord(
    { handleOnce, groupId: 'acme', onFailed: 'acknowledge', key: () => 'id' },
    run,
  );
  for (let delivery = 0; delivery < 2; delivery += 1) {
    await webhook({ headers: { 'x-github-delivery': 'id' }, body: '{}' });
    await ofGroup({ records: { 'a-0': [record] } }, { getRemainingTimeInMillis: () => 60_000 });
    for (const scope of [{ kind: 'tenant', name: 'acme' }, 'billing/acme', 'acme'] as const) {
      await handleOnce.inScope(scope)('id', '{}', run);
    }
  }
  expect(run).toHaveBeenCalledTimes(5);
});

test('a scope of a user’s cannot be one that adapters derive', () => {
  const create = () => createHandleOnce({ store: createMemoryStore(), scope: 'a>webhook:github' });
  expect(create).toThrow("createHandleOnce: scope: must not contain '>'");
});
