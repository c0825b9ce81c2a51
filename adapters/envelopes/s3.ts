import { type Envelope, envelope, type Opened, type Sealed } from './envelope.ts';
import { isObject, keyOf, type Members, type Reader, reader } from './read.ts';
import { NOTIFICATION, openSns } from './sns.ts';

/** A record of an event notification of S3, as far as it is checked. Its other members are there too. */
export interface S3EventRecord {
  /** Such as `ObjectCreated:Put`. */
  readonly eventName: string;
  /** What it is about. */
  readonly s3: {
    /** Where the object is. */
    readonly bucket: {
      /** Of the bucket. */
      readonly name: string;
    };
    /** The object. */
    readonly object: {
      /** As S3 sends it, URL-encoded: `decodeURIComponent(key.replaceAll('+', ' '))` is its name. */
      readonly key: string;
    };
  };
}

const EVENT = 'an event notification of S3';

const ofS3 = reader(EVENT, 'Through EventBridge or SNS: use eventBridge or s3ViaSns.');
const ofSns = reader(NOTIFICATION, 'From S3 itself, or with raw message delivery: use s3.');
const inSns = reader(EVENT, 'For messages of other publishers: use sns.');

const TEST_EVENT = 's3:TestEvent';

function open(sealed: Sealed, read: Reader): Opened<readonly S3EventRecord[]> {
  const document = read.document(sealed);
  if (document['Event'] === TEST_EVENT) {
    const identity = [TEST_EVENT, read.text(document, 'RequestId')];
    return { key: () => keyOf(identity), payload: () => [], compared: () => identity };
  }
  const records = document['Records'];
  if (!Array.isArray(records) || records.length === 0) throw read.malformed('Records', 'a list of records');
  const identities = records.map((record: unknown) => identityOf(isObject(record) ? record : {}, read));
  const [first = [], ...others] = identities;
  return {
    key: () => keyOf(others.length === 0 ? first : identities),
    payload: () => records as S3EventRecord[],
    compared: () => identities,
  };
}

/** Bucket, key, event and sequencer; events that have no sequencer have the id of the request that caused them. */
function identityOf(record: Members, read: Reader): string[] {
  const s3 = read.object(record, 's3');
  const object = read.object(s3, 'object');
  const bucket = read.text(read.object(s3, 'bucket'), 'name');
  const caused =
    object['sequencer'] === undefined
      ? read.text(read.object(record, 'responseElements'), 'x-amz-request-id')
      : read.text(object, 'sequencer');
  return [bucket, read.text(object, 'key'), read.text(record, 'eventName'), caused];
}

/**
 * S3 to SQS: the key is bucket, object key, event name and sequencer; the payload is the list of records.
 *
 * The key dedupes notifications that S3 sends more than once. It does not dedupe two writes of the same content, which
 * have different sequencers, nor two rules that report the same write. The test event that S3 sends to a new queue is
 * an empty list.
 *
 * @example
 * ```ts
 * const worker = createSqsWorker({ client, queueUrl, handleOnce, ...s3 }, async (records) => {
 *   for (const { eventName, s3 } of records) console.log(eventName, s3.bucket.name, s3.object.key);
 * });
 * ```
 */
export const s3: Envelope<readonly S3EventRecord[]> = envelope((sealed) => open(sealed, ofS3));

/** The same for S3 to SNS to SQS: the envelope of S3 is inside the one of SNS. */
export const s3ViaSns: Envelope<readonly S3EventRecord[]> = envelope((sealed) =>
  open({ ...sealed, body: openSns(sealed, ofSns).text }, inSns),
);
