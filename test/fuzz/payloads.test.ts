import * as fc from 'fast-check';
import { UnhashablePayloadError } from 'handle-once';
import { describe, expect, test } from 'vitest';
import { isPolluted, tellsSecret } from '../../proof/fuzz/leaks.ts';
import { fuzzed } from '../../proof/fuzz/settings.ts';
import { anyThrown } from '../../proof/fuzz/thrown.ts';
import { anyValue, secretPayload, trickyText } from '../../proof/fuzz/values.ts';
import { parseExactly } from '../../src/payload/exact-json.ts';
import { fingerprint, fingerprintWithout } from '../../src/payload/fingerprint.ts';
import { isJsonPointer, tokensOf, valueAt } from '../../src/payload/json-pointer.ts';
import { encodeResult } from '../../src/payload/result-codec.ts';
import { namesIn } from '../../src/payload/validate-payload.ts';
import { describeThrown, toStoredError } from '../../src/payload/stored-error.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

/** What the function gives, or the error that says that there is no fingerprint. */
function hashOf(payload: unknown): string {
  try {
    return fingerprint(payload);
  } catch (error) {
    expect(error).toBeInstanceOf(UnhashablePayloadError);
    expect(tellsSecret((error as Error).message)).toBe(false);
    return 'unhashable';
  }
}

describe('a payload of any kind', () => {
  test('has a fingerprint, the same each time, or is refused', () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, secretPayload), (make) => {
        const payload = make();
        const hash = hashOf(payload);
        expect(hash).toMatch(/^(01[0-9a-f]{64}|unhashable)$/);
        expect(hashOf(payload)).toBe(hash);
      }),
      fuzzed(500),
    );
  });

  test('as JSON has the same fingerprint however its members are ordered', () => {
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map(reversed);
      const entries = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
      return Object.fromEntries(entries.reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(reversed(value))).toBe(fingerprint(value));
      }),
      fuzzed(300),
    );
  });

  test('as JSON that differs has another fingerprint', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const areSame = JSON.stringify(one) === JSON.stringify(other);
        if (!areSame && fingerprint(one) === fingerprint(other)) {
          // Members in another order, and -0.
          expect(one).toEqual(JSON.parse(JSON.stringify(other)));
        }
      }),
      fuzzed(300),
    );
  });

  test('without some of its members has a fingerprint that does not depend on them', () => {
    fc.assert(
      fc.property(
        fc.dictionary(trickyText, fc.jsonValue()),
        trickyText,
        fc.jsonValue(),
        (document, name, other) => {
          const changed = Object.fromEntries([...Object.entries(document), [name, other]]);
          const ignored = [[name]];
          expect(fingerprintWithout(ignored, JSON.stringify(changed))).toBe(
            fingerprintWithout(ignored, JSON.stringify(document)),
          );
        },
      ),
      fuzzed(300),
    );
  });

  test('is read as JSON as JSON.parse does, or not at all', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), trickyText), (text) => {
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch (error) {
          expect(() => parseExactly(text)).toThrow((error as SyntaxError).message);
          return;
        }
        const digits = /\d[\d.]{15}/.test(text);
        if (!digits) expect(parseExactly(text)).toEqual(parsed);
      }),
      fuzzed(500),
    );
  });

  test('shows through a JSON pointer its own members only', () => {
    fc.assert(
      fc.property(anyValue, trickyText, (make, text) => {
        const document = make();
        const pointer = `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        expect(isJsonPointer(pointer)).toBe(true);
        expect(tokensOf(pointer)).toEqual([text]);
        let isOwn: boolean;
        try {
          isOwn = typeof document === 'object' && document !== null && Object.hasOwn(document, text);
        } catch {
          return;
        }
        if (!isOwn) expect(valueAt(document, pointer)).toBeUndefined();
      }),
      fuzzed(500),
    );
  });
});

test('a result of any kind is kept as JSON, or left out for a reason', () => {
  fc.assert(
    fc.property(anyValue, fc.integer({ min: 0, max: 2_000 }), (make, maxBytes) => {
      const { result, resultOmitted } = encodeResult(make(), maxBytes);
      if (result === null) return;
      expect(resultOmitted).toBeNull();
      expect(Buffer.byteLength(result)).toBeLessThanOrEqual(maxBytes);
      expect(result.isWellFormed()).toBe(true);
      JSON.parse(result);
    }),
    fuzzed(500),
  );
});

test('whatever is thrown is kept bounded, as JSON that Postgres takes', () => {
  fc.assert(
    fc.property(anyThrown, (make) => {
      const thrown = make();
      const stored = toStoredError(thrown);
      const json = JSON.stringify(stored);
      expect(json.length).toBeLessThan(80_000);
      expect(json.isWellFormed()).toBe(true);
      expect(json).not.toContain('\0');
      expect(JSON.stringify(JSON.parse(json))).toBe(json);
      expect(typeof describeThrown(thrown)).toBe('string');
      expect(JSON.parse(JSON.stringify(toEventError(thrown)))).toMatchObject({ name: stored.name });
      expect(isPolluted()).toBe(false);
    }),
    fuzzed(500),
  );
});

test('a schema of any kind tells its names, and nothing is thrown', () => {
  fc.assert(
    fc.property(anyValue, (make) => {
      const schema = make();
      if (typeof schema === 'object' && schema !== null) namesIn(schema);
    }),
    fuzzed(300),
  );
});
