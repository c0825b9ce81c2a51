import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Decision, decide, type OnFailed } from '../../src/adapter/decide.ts';
import { endingOf, refused } from '../../src/words/endings.ts';
import { childKey } from '../../src/options/key.ts';
import { fingerprintOf } from '../../src/options/fingerprint-options.ts';
import { root } from '../architecture/source-files.ts';
import { failures, pendingOutcomes, successes, THROWN } from '../support/handled.ts';

const FOLDER = join(root, 'testing/vectors');
const files = readdirSync(FOLDER).filter((file) => !file.endsWith('.schema.json'));

function contentOf(file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}

test.each(files)('%s is as its schema says', (file) => {
  const { $schema } = contentOf(file) as { $schema: string };
  const schema = z.fromJSONSchema(contentOf($schema) as Parameters<typeof z.fromJSONSchema>[0]);
  expect(schema.safeParse(contentOf(file)).error).toBeUndefined();
  expect(schema.safeParse({ ...(contentOf(file) as object), other: 1 }).success).toBe(false);
});

const childKeys = contentOf('child-keys.json') as {
  vectors: { scope: string; key: string; name: string; childKey: string }[];
};

test.each(childKeys.vectors)(
  'child key of $scope, $key, $name',
  ({ scope, key, name, childKey: expected }) => {
    expect(childKey(scope, key, name)).toBe(expected);
  },
);

type Payload =
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; base64: string }
  | { kind: 'json'; json: string };

const fingerprints = contentOf('fingerprints.json') as {
  version: string;
  vectors: { what: string; payload: Payload; ignoredFields?: string[]; fingerprint: string }[];
};

function valueOf(payload: Payload): unknown {
  switch (payload.kind) {
    case 'text':
      return payload.text;
    case 'bytes':
      return Buffer.from(payload.base64, 'base64');
    case 'json':
      return JSON.parse(payload.json);
  }
}

test.each(fingerprints.vectors)('fingerprint: $what', ({ payload, ignoredFields, fingerprint }) => {
  expect(fingerprintOf({ ignoredFields })(valueOf(payload))).toBe(fingerprint);
  expect(fingerprint.startsWith(fingerprints.version)).toBe(true);
});

interface Row {
  readonly ending: string;
  readonly acknowledge: Decision['action'];
  readonly keep: Decision['action'];
  readonly deadLetter: Decision['action'];
  readonly retryAfter?: 'as the outcome says' | 'at once';
}

const { rows } = contentOf('dispositions.json') as { rows: Row[] };

const LETTERS: OnFailed = { to: 'dead', send: () => Promise.resolve({}) };
const RETRY_MS = 1_234;

const handled = [
  ...successes(false),
  ...failures(true),
  ...pendingOutcomes(RETRY_MS),
  ...Object.values(THROWN).map(refused),
];

describe('the table of dispositions', () => {
  test('has a row for each way in which the handling of a message ends', () => {
    const endings = new Set(handled.map(endingOf));
    expect(rows.map(({ ending }) => ending).toSorted()).toEqual([...endings].toSorted());
  });

  test.each(rows)('$ending', ({ ending, acknowledge, keep, deadLetter, retryAfter }) => {
    for (const one of handled.filter((given) => endingOf(given) === ending)) {
      const decisions = (['acknowledge', 'keep', LETTERS] as const).map((onFailed) => decide(one, onFailed));
      expect(decisions.map(({ action }) => action)).toEqual([acknowledge, keep, deadLetter]);
      const times = decisions.flatMap((decision) =>
        decision.action === 'keep' ? [decision.retryAfterMs] : [],
      );
      const expected = retryAfter === undefined ? undefined : retryAfter === 'at once' ? 0 : RETRY_MS;
      for (const time of times) expect(time).toBe(expected);
    }
  });
});
