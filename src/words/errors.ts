import { shareAcrossCopies } from '../lib/shared-class.ts';

/**
 * The stable codes of everything that this package throws; messages may change, codes do not.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type HandleOnceErrorCode =
  | 'ABORTED'
  | 'CONSUMER_ENDED'
  | 'DAMAGED_RECORD'
  | 'INVALID_KEY'
  | 'INVALID_OPTIONS'
  | 'KEY_FUNCTION'
  | 'LEASE_LOST'
  | 'MISSING_ID'
  | 'PAYLOAD_MISMATCH'
  | 'SCHEMA'
  | 'STORE'
  | 'UNHASHABLE_PAYLOAD'
  | 'RECORDS_KEPT'
  | 'UNVERIFIED'
  | 'VERIFY_CONFIG';

/** Base class of everything that this package throws. */
export abstract class HandleOnceError extends Error {
  static {
    shareAcrossCopies(this, 'HandleOnceError');
  }

  /** Stable between versions, which messages are not. Each class has its own. */
  abstract readonly code: HandleOnceErrorCode;
  /** Whether the same call can succeed later without a change of code or data. */
  abstract readonly retriable: boolean;
  /** The page of the package that says what to do for each code. Node prints it with an uncaught error. */
  readonly help: string = 'node_modules/handle-once/docs/errors.md';
}

/** One fault in the options: where it is, and what would be valid. */
export interface OptionIssue {
  /** Its path, such as `backoff.baseMs`. Empty where the options as a whole are wrong. */
  readonly field: string;
  /** Continues the name of the field: "must be a whole number of milliseconds from 100 to 43,200,000". */
  readonly message: string;
}

/**
 * Options that cannot work, found before anything runs.
 *
 * A function in the options that breaks its type, such as an async `key`, is found with the first message: that message
 * is kept, and not dead-lettered. The same applies in an adapter to a `key`, `body` or `fingerprint` that throws and
 * has never worked.
 */
export class InvalidOptionsError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'InvalidOptionsError');
  }

  override readonly name = 'InvalidOptionsError';
  readonly code = 'INVALID_OPTIONS';
  readonly retriable = false;
  /** Every wrong field, not only the first. */
  readonly issues: readonly OptionIssue[];

  constructor(subject: string, issues: readonly OptionIssue[], options?: ErrorOptions) {
    const lines = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
    super(`${subject}: ${lines.join('; ')}`, options);
    this.issues = issues;
  }
}

/** A key, scope or child-key name that Postgres cannot store, or cannot distinguish from another. */
export class InvalidKeyError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'InvalidKeyError');
  }

  override readonly name = 'InvalidKeyError';
  readonly code = 'INVALID_KEY';
  readonly retriable = false;
}

/**
 * A payload that cannot be compared with another. It contains a value that JSON does not show (a function, a Map, an
 * Error), a cycle, or a getter that throws; the message says where. Or the option `fingerprint` threw. Nothing ran.
 */
export class UnhashablePayloadError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'UnhashablePayloadError');
  }

  override readonly name = 'UnhashablePayloadError';
  readonly code = 'UNHASHABLE_PAYLOAD';
  readonly retriable = false;
}

/**
 * The key is on record with another payload. Nothing ran.
 *
 * Either the producer reused an id, or the key does not identify a message (a re-created Kafka topic, a truncated id).
 */
export class PayloadMismatchError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'PayloadMismatchError');
  }

  override readonly name = 'PayloadMismatchError';
  readonly code = 'PAYLOAD_MISMATCH';
  readonly retriable = false;
  /** The scope of the record with the other payload. */
  readonly scope: string;
  /** The key that came with two payloads. */
  readonly key: string;

  constructor(scope: string, key: string) {
    super(
      `key ${JSON.stringify(key)} in scope ${JSON.stringify(scope)} is on record with a different payload; ` +
        'nothing ran. Give each message its own key; or list the members that its sender changes in ignoredFields; ' +
        'or change the scope to process it again on purpose.',
    );
    this.scope = scope;
    this.key = key;
  }
}

/** The caller's own signal was aborted before the claim. Nothing ran and no attempt was counted. */
export class AbortedError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'AbortedError');
  }

  override readonly name = 'AbortedError';
  readonly code = 'ABORTED';
  readonly retriable = true;
}

/**
 * The reason of `attempt.signal` when the lease lapsed or another worker took the record over, or when a clock of the
 * machine says that the lease is over and the database has not confirmed it.
 */
export class LeaseLostError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'LeaseLostError');
  }

  override readonly name = 'LeaseLostError';
  readonly code = 'LEASE_LOST';
  readonly retriable = true;
}

/**
 * The store failed: unreachable, too slow, or the database refused.
 *
 * `cause` has the name, code and place of the driver's error. It does not have what can hold a value: the server's
 * detail and context, the statement and its parameters, and a message that quotes data.
 */
export class StoreError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'StoreError');
  }

  override readonly name = 'StoreError';
  readonly code = 'STORE';
  readonly retriable: boolean;
  /** Whether the values sent were refused: a text that the database's encoding lacks, or by a trigger. */
  readonly dataRefused: boolean;
  /** Whether the call may have had its effect, or may have it later. */
  readonly mayHaveLanded: boolean;

  constructor(
    message: string,
    options: { retriable: boolean; dataRefused?: boolean; mayHaveLanded?: boolean; cause?: unknown },
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.retriable = options.retriable;
    this.dataRefused = options.dataRefused ?? false;
    this.mayHaveLanded = options.mayHaveLanded ?? options.retriable;
  }
}

/**
 * The record of the key cannot be read: its result, error or state is not in a form that this version of the package
 * writes. Nothing ran.
 *
 * This remains until a person corrects or deletes the row.
 */
export class DamagedRecordError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'DamagedRecordError');
  }

  override readonly name = 'DamagedRecordError';
  readonly code = 'DAMAGED_RECORD';
  readonly retriable = false;
  /** Column `scope` of the row to correct or delete. */
  readonly scope: string;
  /** Column `key` of the row to correct or delete. */
  readonly key: string;

  constructor(scope: string, key: string, column: 'result' | 'error' | 'state' | 'steps') {
    const [are, nothing] = column === 'steps' ? ['are', 'no step'] : ['is', 'nothing'];
    super(
      `the record of key ${JSON.stringify(key)} in scope ${JSON.stringify(scope)} is damaged: its ${column} ${are} not ` +
        `what this version of handle-once writes; ${nothing} ran. Correct that column of its row, or delete the row to ` +
        'run the message again; if a newer version wrote it, upgrade this process.',
    );
    this.scope = scope;
    this.key = key;
  }
}

/**
 * The tables are missing, older than this version of the package, or too new for it; they have lost a column or a key,
 * row level security hides them, or the role may not write the records. The message says what to do.
 */
export class SchemaError extends HandleOnceError {
  static {
    shareAcrossCopies(this, 'SchemaError');
  }

  override readonly name = 'SchemaError';
  readonly code = 'SCHEMA';
  readonly retriable = false;
}
