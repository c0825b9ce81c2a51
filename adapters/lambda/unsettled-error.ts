import { HandleOnceError } from '../../src/index.ts';
import { shareAcrossCopies } from '../../src/adapter-kit.ts';
import type { KafkaItemIdentifier } from './kafka-event.ts';

/** Fails an invocation, so that Lambda delivers the whole batch again. */
export class UnsettledError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'UnsettledError');
  }

  override readonly name = 'UnsettledError';
  readonly code = 'UNSETTLED';
  readonly retriable = true;
  /** The records that are not settled. The others are answered from their records. */
  readonly unsettled: readonly KafkaItemIdentifier[];

  constructor(unsettled: readonly KafkaItemIdentifier[]) {
    const [first] = unsettled;
    const where = first === undefined ? '' : `, the first at offset ${first.offset} of ${first.partition}`;
    super(`${unsettled.length} records are not settled${where}: the batch has to be delivered again`);
    this.unsettled = unsettled;
  }
}
