import { HandleOnceError } from '../../src/index.ts';
import { shareAcrossCopies } from '../../src/adapter-kit.ts';
import type { KafkaItemIdentifier } from './kafka-event.ts';

/** Fails an invocation, so that Lambda delivers the whole batch again. */
export class KeptRecordsError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'KeptRecordsError');
  }

  override readonly name = 'KeptRecordsError';
  readonly code = 'RECORDS_KEPT';
  readonly retriable = true;
  /** The records that are kept. The others are answered from their records. */
  readonly kept: readonly KafkaItemIdentifier[];

  constructor(kept: readonly KafkaItemIdentifier[]) {
    const [first] = kept;
    const where = first === undefined ? '' : `, the first at offset ${first.offset} of ${first.partition}`;
    super(`records not acknowledged: ${kept.length}${where}. Lambda must deliver the batch again`);
    this.kept = kept;
  }
}
