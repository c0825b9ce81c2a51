import { isOfKind } from '../options/scope.ts';
import type { EventError } from './event-error.ts';
import type { HandleOnceEventType } from './events.ts';

/** The fields that reporting reads of any event. */
export interface ReportedEvent {
  readonly type: string;
  readonly scope?: string;
  /** Of a finding about settings: its name and its text. */
  readonly warning?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly interrupted?: boolean;
  readonly error?: EventError;
}

/** How an event is reported. Without a logger `warn` and `error` are printed, and the others are not. */
export interface Row {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly code: string;
  readonly says: string;
  /** What has a line of its own within a minute: each event, or each different error, which many can share. */
  readonly prints: 'each-event' | 'each-error';
}

const EACH_ERROR = 'each-error';

/* @__NO_SIDE_EFFECTS__ */
function row(level: Row['level'], code: string, says: string, prints: Row['prints'] = 'each-event'): Row {
  return { level, code, says, prints };
}

type Table = Readonly<Partial<Record<string, Row | null>>>;

type CoreName = HandleOnceEventType | 'interrupted' | 'schema-error' | 'damaged-record';

/** Events of `createHandleOnce`, by type. Null: the normal course, not reported. */
const CORE: Table = {
  claimed: null,
  succeeded: null,
  replayed: null,
  'wait-hit': null,
  'wait-miss': null,
  'wait-timeout': null,
  'in-flight': row('debug', 'IN_FLIGHT', 'a duplicate came while another worker runs the message'),
  'backing-off': row('debug', 'BACKING_OFF', 'a message came again before its backoff was over'),
  aborted: row('debug', 'ABORTED', 'a message was not started: its signal was aborted'),
  interrupted: row(
    'debug',
    'INTERRUPTED',
    'a message was interrupted, or its turn had not come: it runs again',
  ),
  deferred: row('debug', 'DEFERRED', 'a handler deferred its message: it runs again'),
  'taken-over': row('info', 'TAKEN_OVER', 'the lease of another worker lapsed: its message runs here'),
  'still-running': row('info', 'STILL_RUNNING', 'a handler has run for longer than a lease'),
  'failures-dropped': row(
    'info',
    'FAILURES_DROPPED',
    'lines of the table failures were not written: the records are complete, but the output of explain is not',
  ),
  'taken-back': row('info', 'TAKEN_BACK', 'a claim whose reply was lost had succeeded, and was undone'),
  'batch-undone': row(
    'warn',
    'BATCH_UNDONE',
    'a batch was rolled back, and its messages run one by one: it cost one transaction, and each message costs another',
    EACH_ERROR,
  ),
  suspect: row(
    'warn',
    'SUSPECT',
    'the last two attempts lost their workers: the message waits until it runs alone',
    EACH_ERROR,
  ),
  released: row('warn', 'RELEASED', 'a message failed and will be tried again', EACH_ERROR),
  failed: row('error', 'FAILED', 'a message failed permanently'),
  mismatch: row(
    'error',
    'PAYLOAD_MISMATCH',
    'a key is on record with a different payload: nothing ran. Give each message its own key',
  ),
  'lease-lost': row(
    'warn',
    'LEASE_LOST',
    'the lease ended before the handler did: another worker has taken over, or can',
  ),
  unrecorded: row(
    'error',
    'UNRECORDED',
    'the end of an attempt could not be recorded: its message may run again',
  ),
  'store-error': row('error', 'STORE_ERROR', 'the store failed: messages stay with the broker', EACH_ERROR),
  'damaged-record': row(
    'error',
    'DAMAGED_RECORD',
    'a record cannot be read: its message stays with the broker',
  ),
  'schema-error': row(
    'error',
    'SCHEMA_ERROR',
    'the store cannot be used: messages stay with the broker',
    EACH_ERROR,
  ),
} satisfies Record<CoreName, Row | null>;

/** Events of adapters, by the name of a finding, the type, or the reason. What the core reports is not in here. */
const ADAPTERS: Table = {
  PARTITION_STUCK: row('error', 'PARTITION_STUCK', ''),
  CONSUMER_STOPPED: row('error', 'CONSUMER_STOPPED', ''),
  'queue-error': row('error', 'QUEUE_ERROR', 'a call to the queue failed', EACH_ERROR),
  'broker-error': row(
    'error',
    'BROKER_ERROR',
    'a call to the broker failed: the message comes again',
    EACH_ERROR,
  ),
  'client-error': row('error', 'CLIENT_ERROR', 'a call to the broker failed', EACH_ERROR),
  'log-changed': row(
    'warn',
    'LOG_CHANGED',
    'a partition is read from another offset, or was created again: messages may be skipped',
  ),
  'dead-letter-error': row('error', 'DEAD_LETTER_ERROR', 'a dead letter was not accepted: the message stays'),
  'retry-error': row('error', 'RETRY_ERROR', 'a retry topic did not accept a message: its partition waits'),
  'visibility-lost': row('warn', 'VISIBILITY_LOST', 'the queue refused to keep a message invisible'),
  lapsed: row(
    'warn',
    'VISIBILITY_LOST',
    'a received message was not settled in the time of its broker: another worker may have it',
  ),
  unfinished: row('warn', 'UNFINISHED', 'a handler was still running after its signal had aborted'),
  'invalid-key': row('error', 'INVALID_KEY', 'a message has no valid key: it was not handled'),
  unhashable: row(
    'error',
    'UNHASHABLE_PAYLOAD',
    'a message cannot be compared with its record: it was not handled',
  ),
  'missing-id': row(
    'error',
    'INVALID_KEY',
    'a delivery has no id in the place where its source puts it: it was refused',
  ),
  'verify-config': row('error', 'VERIFY_CONFIG', 'verify is not configured: a delivery was refused'),
  unverified: row('warn', 'UNVERIFIED', "a delivery's signature is not valid: it was refused", EACH_ERROR),
  error: row('error', 'UNEXPECTED_ERROR', 'a message could not be handled'),
};

/** Events of maintenance, by type. */
const OPERATIONS: Table = {
  maintained: row('info', 'MAINTAINED', 'the tables were maintained'),
  abandoned: row(
    'warn',
    'ABANDONED',
    'pending messages are free to run, but were not delivered again: look for them at the broker',
    EACH_ERROR,
  ),
  'maintenance-error': row('error', 'MAINTENANCE_ERROR', 'the tables could not be maintained', EACH_ERROR),
};

/** A finding has its own message. */
const FINDING = row('warn', 'WARNING', '');

/** Caused by HTTP clients, and answered and logged by the server: no operational problem. */
const DEBUG_OVER_HTTP: ReadonlySet<string> = new Set(['PAYLOAD_MISMATCH', 'RELEASED', 'UNHASHABLE_PAYLOAD']);

function levelled(known: Row | null | undefined, { scope }: ReportedEvent): Row | undefined {
  if (known === null || known === undefined) return undefined;
  const isQuiet = scope !== undefined && isOfKind(scope, 'http') && DEBUG_OVER_HTTP.has(known.code);
  return isQuiet ? { ...known, level: 'debug' } : known;
}

/** The row of an event of `createHandleOnce`; undefined for one that is not reported. */
export function rowOfCore(event: ReportedEvent): Row | undefined {
  const known = CORE[coreName(event)];
  if (known !== undefined) return levelled(known, event);
  return row('info', event.type.toUpperCase().replaceAll('-', '_'), event.type);
}

function coreName({ type, error, interrupted }: ReportedEvent): string {
  if (type === 'store-error' && error?.code === 'SCHEMA') return 'schema-error';
  if (type === 'store-error' && error?.code === 'DAMAGED_RECORD') return 'damaged-record';
  return type === 'released' && interrupted === true ? 'interrupted' : type;
}

/** The row of an event of an adapter; undefined for one that is not reported. */
export function rowOfAdapter(event: ReportedEvent): Row | undefined {
  const { warning, type, reason, error } = event;
  if (warning !== undefined) return ADAPTERS[warning] ?? { ...FINDING, code: warning };
  if (error?.code === 'UNHASHABLE_PAYLOAD') return levelled(ADAPTERS['unhashable'], event);
  return ADAPTERS[type] ?? (reason === undefined ? undefined : (ADAPTERS[reason] ?? undefined));
}

/** The row of an event of maintenance. */
export function rowOfOperations({ type }: ReportedEvent): Row | undefined {
  return OPERATIONS[type] ?? undefined;
}

/** The row for a fault of a function of the user. */
export function rowOfOwn(code: string): Row {
  return { ...FINDING, code };
}
