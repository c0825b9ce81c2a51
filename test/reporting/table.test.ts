import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EventError, toEventError } from '../../src/reporting/event-error.ts';
import { rowOfAdapter, rowOfCore } from '../../src/reporting/table.ts';
import { StoreError } from '../../src/words/errors.ts';
import { root } from '../architecture/source-files.ts';

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

it('every code is in docs/errors.md, with its level', () => {
  const rows = [...textOf('src/reporting/table.ts').matchAll(/ row\(\s*'(\w+)',\s*'([A-Z_]+)'/g)];
  expect(rows.length).toBeGreaterThan(20);
  const documented = textOf('docs/errors.md').split('\n');
  const missing = rows.filter(
    ([, level = '', code = '']) =>
      code !== 'WARNING' &&
      !documented.some((line) => line.includes(`\`${code}\``) && line.includes(`| ${level} `)),
  );
  expect(missing.map(([, , code]) => code)).toEqual([]);
});

it('every code whose errors are printed once each is in docs/observability.md', () => {
  const texts = textOf('src/reporting/table.ts');
  const rows = [...texts.matchAll(/ row\(\s*'\w+',\s*'([A-Z_]+)',\s*(?:'.*'|".*"),\s*EACH_ERROR/g)];
  expect(rows.length).toBeGreaterThan(9);
  const [sentence = ''] = /^In that minute .*/m.exec(textOf('docs/observability.md')) ?? [];
  const documented = [...sentence.matchAll(/`([A-Z_]+)`/g)];
  expect(documented.map(([, code]) => code).toSorted()).toEqual(rows.map(([, code]) => code).toSorted());
});

it('a type of event that the table does not know is for a logger, and not printed', () => {
  expect(rowOfCore({ type: 'new-kind' })).toMatchObject({ level: 'info', code: 'NEW_KIND' });
  expect(rowOfAdapter({ type: 'returned' })).toBeUndefined();
});

it.each(['claimed', 'succeeded', 'replayed'])('%s is the normal course of things', (type) => {
  expect(rowOfCore({ type })).toBeUndefined();
});

describe('Over HTTP', () => {
  const scope = 'shop>http:POST%20%2Forders';
  const unhashable = new EventError({ name: 'Error', message: '', code: 'UNHASHABLE_PAYLOAD' });

  it('what clients cause, and what servers log themselves, is for debugging', () => {
    for (const type of ['released', 'mismatch']) {
      expect(rowOfCore({ type, scope })).toMatchObject({ level: 'debug' });
      for (const other of ['shop', 'http:x', 'shop>webhook:http', 'shop>http:x>tenant:a']) {
        expect(rowOfCore({ type, scope: other })?.level).toMatch(/warn|error/);
      }
    }
    expect(rowOfAdapter({ type: 'invalid-key', scope, error: unhashable })?.level).toBe('debug');
  });

  it.each(['failed', 'unrecorded', 'lease-lost', 'store-error'])('%s is reported as ever', (type) => {
    expect(rowOfCore({ type, scope })).toEqual(rowOfCore({ type }));
  });
});

it('an adapter reports what its handleOnce cannot: by finding, type or reason', () => {
  expect(rowOfAdapter({ type: 'warning', warning: 'RETENTION_TOO_SHORT' })).toMatchObject({
    level: 'warn',
    code: 'RETENTION_TOO_SHORT',
  });
  expect(rowOfAdapter({ type: 'warning', warning: 'PARTITION_STUCK' })).toMatchObject({ level: 'error' });
  expect(rowOfAdapter({ type: 'queue-error' })).toMatchObject({ code: 'QUEUE_ERROR' });
  expect(rowOfAdapter({ type: 'kept', reason: 'invalid-key' })).toMatchObject({ code: 'INVALID_KEY' });
  const unhashable = new EventError({ name: 'Error', message: '', code: 'UNHASHABLE_PAYLOAD' });
  for (const event of [{ type: 'kept', reason: 'invalid-key' }, { type: 'invalid-key' }]) {
    expect(rowOfAdapter({ ...event, error: unhashable })).toMatchObject({ code: 'UNHASHABLE_PAYLOAD' });
  }
  expect(rowOfAdapter({ type: 'kept', reason: 'released' })).toBeUndefined();
});

it('an error of the store is in an event without its cause, which can quote values, and others with theirs', () => {
  const cause = new Error('quoted');
  const ofStore = toEventError(new StoreError('no reply', { retriable: true, cause }));
  expect(ofStore).not.toHaveProperty('cause');
  expect(toEventError(ofStore)).toBe(ofStore);
  expect(toEventError(new TypeError('of a handler', { cause }))).toMatchObject({
    cause: { message: 'quoted' },
  });
});
