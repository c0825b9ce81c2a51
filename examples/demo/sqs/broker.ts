import type { Broker } from '../broker.ts';
import { CONCURRENCY, FORGETFUL_WORKER } from './environment.ts';
import { startSqs } from './start-sqs.ts';

const IN_HAND = { atOnce: `${CONCURRENCY} handlers each`, leastOnEachSide: 3 };

export const sqs: Broker = {
  name: 'SQS',
  once: { file: new URL('worker.ts', import.meta.url), ...IN_HAND },
  control: { file: new URL('control-worker.ts', import.meta.url), ...IN_HAND },
  firstWorkers: [1, 2, FORGETFUL_WORKER],
  lateWorkers: [],
  words: {
    disturbances: 'deletes forgotten',
    disturbed: (count) => `worker ${FORGETFUL_WORKER} forgot ${count} deletes: these messages came again`,
    control: 'the same traffic, kill and forgotten deletes, with a plain loop of receive, handle and delete.',
  },
  start: startSqs,
};
