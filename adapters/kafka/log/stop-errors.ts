import { HandleOnceError } from '../../../src/index.ts';
import { shareAcrossCopies } from '../../../src/adapter-kit.ts';

/** Errors that end a consumer permanently when its client sees them: kafkajs reads `retriable`. */
export abstract class StopError extends HandleOnceError {
  readonly retriable = false;
}

/** A consumer went on after it had been stopped. */
export class ConsumerEndedError extends StopError {
  static {
    shareAcrossCopies(this, 'ConsumerEndedError');
  }

  override readonly name = 'ConsumerEndedError';
  readonly code = 'CONSUMER_ENDED';

  constructor() {
    super('this consumer was stopped while it joined its group; it ends now, and has handled nothing');
  }
}

/** A key function has never worked. */
export class KeyFunctionError extends StopError {
  static {
    shareAcrossCopies(this, 'KeyFunctionError');
  }

  override readonly name = 'KeyFunctionError';
  readonly code = 'KEY_FUNCTION';
}
