import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { SqsServer } from '../support/sqs.ts';
import { useFixture } from './support/fixture.ts';
import { deadLetterSuite } from './suite/dead-letters.ts';
import { dispositionSuite } from './suite/dispositions.ts';
import { wrapSuite } from './suite/wrap.ts';

/** What the SQS adapter promises, on one server. */
export function sqsSuite(server: SqsServer): void {
  const fixture = useFixture(server);
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => {
    unhandled.push(reason);
  };

  beforeAll(() => {
    process.on('unhandledRejection', record);
  });

  afterAll(() => {
    process.off('unhandledRejection', record);
    expect(unhandled, 'nothing may reject unseen').toEqual([]);
  });

  describe('Disposition', () => {
    dispositionSuite(fixture);
  });
  describe('A dead letter', () => {
    deadLetterSuite(fixture);
  });
  describe('wrapSqsHandler', () => {
    wrapSuite(fixture);
  });
}
