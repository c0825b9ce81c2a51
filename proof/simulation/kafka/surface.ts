import { derivedScope } from '../../../src/options/scope.ts';
import { fingerprint } from '../../../src/payload/fingerprint.ts';
import { SCOPE } from '../actors/handle-once.ts';
import type { Surface } from '../actors/surface.ts';
import { BROKER_FAULTS, POOL_FAULTS, TRANSACTION_FAULTS } from '../facts/names.ts';
import { KAFKA_FAULTS, KAFKA_OUTCOMES } from '../facts/kafka-names.ts';
import { forBatches } from '../plan/settings.ts';
import { atomic } from '../rules/atomic.ts';
import { apart } from '../rules/apart.ts';
import { triedAlone } from '../rules/tried-alone.ts';
import { GROUP, TOPIC_RETENTION_MS } from './broker/topics.ts';
import { commitsSettled } from './rules/commits-settled.ts';
import { logOrder } from './rules/log-order.ts';
import { oneLetter } from './rules/one-letter.ts';
import { runsCommitted } from './rules/runs-committed.ts';
import { startsCommitted } from './rules/starts-committed.ts';
import { KafkaScene } from './scene.ts';

/** Consumers of kafkajs, with the handler of `onceEachKafkaMessage`. */
export const kafka: Surface = {
  name: 'kafka',
  weight: 30,
  identity: {
    scope: derivedScope(SCOPE, { kind: 'kafka', name: GROUP }),
    keyPrefix: '',
    fingerprintOf: (body) => fingerprint(Buffer.from(body)),
  },
  faults: [...BROKER_FAULTS, 'message without a key', ...KAFKA_FAULTS],
  outcomes: KAFKA_OUTCOMES,
  // Records outlive the messages of their topics, as they have to.
  lacks: ['its record expired', 'expired record purged'],
  rules: [commitsSettled, startsCommitted, runsCommitted, logOrder, oneLetter],
  // A message that has failed is passed, with a dead letter or without: its partition would stay behind it. A rebalance
  // interrupts.
  fit: (settings) => ({
    ...settings,
    interrupts: true,
    onFailed: settings.onFailed === 'acknowledge' ? 'acknowledge' : 'dead-letter',
    maxReceiveCount: undefined,
    retentionMs: TOPIC_RETENTION_MS,
  }),
  open: (world, database) => new KafkaScene(world, database),
};

/** The same with a handler of many messages in one transaction. */
export const kafkaBatch: Surface = {
  ...kafka,
  name: 'kafka-batch',
  weight: 14,
  faults: [...kafka.faults, ...TRANSACTION_FAULTS, ...POOL_FAULTS],
  outcomes: [...kafka.outcomes, 'batch-undone'],
  rules: [...kafka.rules, atomic, triedAlone, apart],
  fit: (settings, random) => ({
    ...kafka.fit(forBatches(settings), random),
    inTransaction: true,
    connections: random.whole(3, 6),
  }),
  fitBeside: forBatches,
};
