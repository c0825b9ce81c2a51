import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { SqsServer } from '../support/sqs.ts';
import { type Fixture, useFixture } from './support/fixture.ts';
import { deadLetterSuite } from './suite/dead-letters.ts';
import { dispositionSuite } from './suite/dispositions.ts';
import { failedByDefaultSuite } from './suite/failed-by-default.ts';
import { fifoSuite } from './suite/fifo.ts';
import { queueFailureSuite } from './suite/queue-failures.ts';
import { redriveKeptSuite } from './suite/redrive-kept.ts';
import { redriveSuite } from './suite/redrive.ts';
import { receiptHandleSuite } from './suite/receipt-handles.ts';
import { serverAnswersSuite } from './suite/server-answers.ts';
import { startUpSuite } from './suite/start-up.ts';
import { stopSuite } from './suite/stop.ts';
import { storeOutageSuite } from './suite/store-outage.ts';
import { twoWorkersSuite } from './suite/two-workers.ts';
import { workerSuite } from './suite/worker.ts';
import { wrapSuite } from './suite/wrap.ts';

/** A server's fixture, and a look at what rejects unseen. */
export function useCheckedFixture(server: SqsServer): Fixture {
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

  return useFixture(server);
}

/** What the servers answer each in its own way. */
export function answersSuite(fixture: Fixture): void {
  describe('A dead letter', () => {
    deadLetterSuite(fixture);
  });
  describe('A worker on a FIFO queue', () => {
    fifoSuite(fixture);
  });
  describe('A start', () => {
    startUpSuite(fixture);
  });
  describe('Answers', () => {
    serverAnswersSuite(fixture);
  });
}

/** What does not depend on the server, of one message at a time and of redrives. */
export function messagesSuite(fixture: Fixture): void {
  describe('Disposition', () => {
    dispositionSuite(fixture);
  });
  describe('Failed messages by default', () => {
    failedByDefaultSuite(fixture);
  });
  describe('redriveQueue', () => {
    redriveSuite(fixture);
    redriveKeptSuite(fixture);
  });
  describe('onceEachSqsMessage', () => {
    wrapSuite(fixture);
  });
}

/** What does not depend on the server, of workers. */
export function workersSuite(fixture: Fixture): void {
  describe('A worker', () => {
    workerSuite(fixture);
  });
  describe('Starting and stopping', () => {
    stopSuite(fixture);
  });
  describe('When the queue fails', () => {
    queueFailureSuite(fixture);
  });
  describe('Receipt handles', () => {
    receiptHandleSuite(fixture);
  });
  describe('When the database fails', () => {
    storeOutageSuite(fixture);
  });
  describe('Two workers', () => {
    twoWorkersSuite(fixture);
  });
}
