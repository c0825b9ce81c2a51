import { nameOfKind } from '../../../src/adapter-kit.ts';
import type { KeptDeadLetter, DeadLetterIdentity } from '../../operations/redrive/dead-letter.ts';
import type { KafkaMessage, Placed } from '../log/log-client.ts';
import { DEAD_LETTER_HEADERS, type DeadLetterHeader } from '../log/dead-letter.ts';
import { originalOf, type RetryCopy, retryCopyOf, textOf } from '../../shared/kafka/retry-copy.ts';

/** The record of a dead letter, and the copy that belongs to it. */
export interface DeadLetterOwner extends DeadLetterIdentity {
  readonly copy: RetryCopy;
  /** The topic that the original stands in. */
  readonly topic: string;
}

/** The record of a dead letter, or why that is not known. */
export function ownerOf(
  deadLetter: KafkaMessage,
  wantedScope: string | undefined,
): DeadLetterOwner | KeptDeadLetter {
  const fact = (name: DeadLetterHeader): string | undefined => textOf(deadLetter.headers[name]);
  if (fact('handle-once-attempts') === '0') return { kept: 'refused' };
  const scope = fact('handle-once-scope');
  const key = fact('handle-once-key');
  const group = nameOfKind(scope ?? '', 'kafka');
  if (scope === undefined || key === undefined || group === undefined) return { kept: 'no-identity' };
  if (wantedScope !== undefined && scope !== wantedScope) return { kept: 'other-scope' };
  const copy = retryCopyOf(originalIn(deadLetter, fact), group);
  // The headers of a dead letter can be anything, and the consumer must be able to read the copy.
  const original = originalOf({ ...deadLetter, ...copy }, group);
  if (original === undefined) return { kept: 'no-identity' };
  // A dead letter without attempts is of a message that was refused, and is kept above.
  const sentAt = new Date(Number(deadLetter.timestamp));
  const attempts = Number(fact('handle-once-attempts') ?? 0);
  return { scope, key, isOwn: true, sentAt, attempts, namesScope: true, copy, topic: original.topic };
}

function originalIn(deadLetter: KafkaMessage, fact: (name: DeadLetterHeader) => string | undefined): Placed {
  const ours: readonly string[] = DEAD_LETTER_HEADERS;
  const own = Object.entries(deadLetter.headers).filter(([name]) => !ours.includes(name));
  return {
    topic: fact('handle-once-topic') ?? '',
    partition: Number(fact('handle-once-partition') ?? NaN),
    message: {
      ...deadLetter,
      headers: Object.fromEntries(own),
      offset: fact('handle-once-offset') ?? '',
      timestamp: fact('handle-once-timestamp') ?? '',
    },
  };
}
