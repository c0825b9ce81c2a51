import type { Ordering } from '../../../adapters/kafka/options/ordering.ts';
import type { Settings } from '../plan/settings.ts';
import type { Random } from '../time/random.ts';

/** By what a message is known: its place, the key of its business, or an id that no other has. */
export type Identity = 'place' | 'business key' | 'id';

/** What the consumers of a seed are set to, beside what every worker is. */
export interface KafkaSettings {
  readonly partitions: number;
  readonly nodes: number;
  readonly identity: Identity;
  readonly ordering: Ordering;
  readonly fromBeginning: boolean;
  readonly hasAdmin: boolean;
  /** The delays of its retry topics. */
  readonly retryDelays: readonly number[];
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly heartbeatMs: number;
  readonly maxWaitMs: number;
  readonly requestTimeoutMs: number;
  readonly rebalanceGraceMs: number;
  readonly producerRetries: number;
  /** Records of one partition in a fetch. One alone could be a message without a key, and is held: docs/kafka.md. */
  readonly most: number;
}

export function kafkaSettingsOf(random: Random, { onFailed }: Settings): KafkaSettings {
  const ordering = random.pick(['partition', 'key', 'unordered', 'unordered'] as const);
  const hasRetry = ordering === 'unordered' && random.chance(0.8);
  const fromBeginning = random.chance(0.6);
  const sessionMs = random.whole(3, 10) * 1_000;
  return {
    partitions: random.whole(2, 4),
    nodes: random.whole(1, 2),
    identity: identityOf(random, onFailed),
    ordering,
    fromBeginning,
    hasAdmin: hasRetry || !fromBeginning || random.chance(0.3),
    retryDelays: hasRetry ? [random.whole(5, 20) * 100, random.whole(30, 60) * 100] : [],
    sessionMs,
    rebalanceMs: random.whole(5, 15) * 1_000,
    heartbeatMs: Math.max(500, Math.floor(sessionMs / 3)),
    maxWaitMs: random.pick([500, 1_000, 2_000]),
    requestTimeoutMs: random.pick([2_000, 10_000]),
    rebalanceGraceMs: random.pick([0, 500, 2_000]),
    producerRetries: random.pick([0, 5]),
    most: random.whole(3, 10),
  };
}

/** A message whose record is of another payload stays in its partition for good, where there are no dead letters. */
function identityOf(random: Random, onFailed: Settings['onFailed']): Identity {
  if (random.chance(0.5)) return 'place';
  return onFailed === 'dead-letter' ? 'business key' : 'id';
}
