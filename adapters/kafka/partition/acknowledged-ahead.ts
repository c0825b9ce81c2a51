import { createHash } from 'node:crypto';
import { recordBytes } from '../../shared/kafka/log-identity.ts';
import type { KafkaMessage } from '../log/log-client.ts';

/** At about 100 bytes each. What finds no room is looked up in the store when it comes again. */
const MOST_REMEMBERED = 20_000;

/**
 * The messages of one partition that are acknowledged ahead of one that is not.
 *
 * They are fetched again with it, as often as it is tried. By place and content they are known then without a look at
 * the store, and without a second dead letter.
 */
export class AcknowledgedAhead {
  readonly #digests = new Map<string, string>();

  add(message: KafkaMessage): void {
    if (this.#digests.size < MOST_REMEMBERED) this.#digests.set(message.offset, digestOf(message));
  }

  delete({ offset }: KafkaMessage): void {
    this.#digests.delete(offset);
  }

  /** `'other'`: its place is known, with other content. */
  look(message: KafkaMessage): 'acknowledged' | 'unknown' | 'other' {
    const digest = this.#digests.get(message.offset);
    if (digest === undefined) return 'unknown';
    return digest === digestOf(message) ? 'acknowledged' : 'other';
  }
}

function digestOf(message: KafkaMessage): string {
  return createHash('sha256').update(recordBytes(message)).digest('base64');
}
