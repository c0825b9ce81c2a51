import { InvalidArgumentError } from 'commander';
import * as fc from 'fast-check';
import { InvalidKeyError, migrationSql } from 'handle-once';
import { grantsSql } from 'handle-once/operations';
import { describe, expect, test } from 'vitest';
import { duration } from '../../adapters/cli/duration.ts';
import { inOneLine } from '../../adapters/cli/one-line.ts';
import { printable } from '../../adapters/cli/printable.ts';
import { readKeyHeader } from '../../adapters/http/key-header.ts';
import { fuzzed } from '../../proof/fuzz/settings.ts';
import { anyThrown } from '../../proof/fuzz/thrown.ts';
import { anyValue, trickyText } from '../../proof/fuzz/values.ts';
import { checkKey } from '../../src/options/key.ts';
import { enteredScope, scopeFault, storedScopeFault } from '../../src/options/scope.ts';

/** What is left of SQL without its quoted names and texts. */
function unquoted(sql: string): string {
  return sql.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'/g, '?');
}

/** The result, or the error, which has to be documented. */
function orRefused(call: () => string, name = 'InvalidOptionsError'): string | undefined {
  try {
    return call();
  } catch (error) {
    expect(error).toMatchObject({ name });
    return undefined;
  }
}

const anyName = fc.oneof(
  { weight: 3, arbitrary: trickyText.map((name) => () => name) },
  { weight: 1, arbitrary: anyValue },
);

describe('whatever it is', () => {
  test('a key is one that Postgres keeps apart from any other, or is refused', () => {
    fc.assert(
      fc.property(anyName, (make) => {
        const key = make();
        try {
          checkKey('key', key);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidKeyError);
          if (typeof key === 'string' && key.length > 20) expect((error as Error).message).not.toContain(key);
          return;
        }
        expect(Buffer.from(key).toString()).toBe(key);
        expect(key).not.toContain('\0');
        expect(key.length).toBeGreaterThan(0);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1_536);
      }),
      fuzzed(1_000),
    );
  });

  test('a scope is one that a user may write, or is refused', () => {
    fc.assert(
      fc.property(anyName, anyName, (makeScope, makeKind) => {
        const scope = makeScope();
        const kind = makeKind();
        if (scopeFault(scope) === undefined) expect(storedScopeFault(scope)).toBeUndefined();
        const derived = { kind, name: scope } as { kind: 'tenant'; name: string };
        const entered = orRefused(() => enteredScope('billing', derived));
        if (entered !== undefined) expect(storedScopeFault(entered)).toBeUndefined();
      }),
      fuzzed(500),
    );
  });

  test('the name of a schema, or of a role, stays a quoted name in SQL, or is refused', () => {
    const usual = unquoted(grantsSql({ role: 'worker', databaseSchema: 'handle_once' }));
    const migration = unquoted(migrationSql());
    fc.assert(
      fc.property(anyName, anyName, (makeRole, makeSchema) => {
        const names = { role: makeRole(), databaseSchema: makeSchema() } as {
          role: string;
          databaseSchema: string;
        };
        const { role, databaseSchema } = names;
        const grants = orRefused(() => grantsSql(names));
        if (grants !== undefined) expect(unquoted(grants)).toBe(usual);
        const granted = orRefused(() => grantsSql({ role }));
        if (granted !== undefined) expect(unquoted(granted)).toBe(usual);
        const tables = orRefused(() => migrationSql({ schema: databaseSchema }));
        if (tables !== undefined) expect(unquoted(tables)).toBe(migration);
      }),
      fuzzed(500),
    );
  });

  test('a header Idempotency-Key is a key, or is none', () => {
    fc.assert(
      fc.property(trickyText, fc.boolean(), (text, strict) => {
        const read = readKeyHeader(text, strict);
        if (read.kind !== 'key') return;
        expect(read.key).toMatch(/^[ -~]{1,255}$/);
      }),
      fuzzed(1_000),
    );
  });

  test('what a terminal gets has no character that moves it or turns the text', () => {
    fc.assert(
      fc.property(anyThrown, trickyText, (thrown, text) => {
        for (const line of [inOneLine(thrown()), printable(text)]) {
          expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
      fuzzed(500),
    );
  });

  test('a time on the command line is one, or is refused', () => {
    fc.assert(
      fc.property(fc.oneof(trickyText, fc.stringMatching(/^\d{1,400}[smhd]$/)), (text) => {
        try {
          expect(duration(text)).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
        }
      }),
      fuzzed(500),
    );
  });
});
