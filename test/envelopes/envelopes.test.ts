import { InvalidKeyError } from 'handle-once';
import {
  cloudEvents,
  debezium,
  type Envelope,
  eventBridge,
  s3,
  s3ViaSns,
  sns,
  type WrappedMessage,
} from 'handle-once/envelopes';
import { describe, expect, it } from 'vitest';
import {
  changes,
  cloudEvent,
  cloudEventHeaders,
  eventBridgeEvent,
  ORDER,
  postgresChange,
  s3Record,
  s3TestEvent,
  snsNotification,
  withSchema,
} from './recorded.ts';

const ofSqs = (document: unknown): WrappedMessage => ({ Body: JSON.stringify(document) });
const keyIn = (envelope: Envelope<unknown>, document: unknown): string => envelope.key(ofSqs(document));
const payloadIn = <Payload>(envelope: Envelope<Payload>, document: unknown): Payload =>
  envelope.parse(JSON.stringify(document));
const comparedIn = (envelope: Envelope<unknown>, document: unknown): unknown =>
  envelope.fingerprint(JSON.stringify(document));

const s3Event = { Records: [s3Record] };

/** A printed warning has 200 characters of an error, of which its context takes 56 where no message was opened yet. */
const FITS_A_WARNING = /^.{1,144}$/;

describe.each<[string, Envelope<unknown>, object, string, unknown]>([
  ['SNS', sns, snsNotification, snsNotification.MessageId, ORDER],
  ['EventBridge', eventBridge, eventBridgeEvent, eventBridgeEvent.id, ORDER],
  [
    'S3',
    s3,
    s3Event,
    '["example-bucket","invoices/march+2026.pdf","ObjectCreated:Put","0055AED6DCD90281E5"]',
    [s3Record],
  ],
  [
    'S3 through SNS',
    s3ViaSns,
    { ...snsNotification, Message: JSON.stringify(s3Event) },
    '["example-bucket","invoices/march+2026.pdf","ObjectCreated:Put","0055AED6DCD90281E5"]',
    [s3Record],
  ],
  ['CloudEvents', cloudEvents, cloudEvent, '["/shop/orders","A234-1234-1234"]', ORDER],
])('An envelope of %s', (_, envelope, document, key, payload) => {
  const text = JSON.stringify(document);

  it.each<[string, WrappedMessage]>([
    ['SQS', { Body: text }],
    ['SQS on Lambda', { body: text }],
    ['Kafka', { value: Buffer.from(text), key: null, headers: {}, offset: '7' }],
    ['a queue with bytes', { body: new TextEncoder().encode(text) }],
  ])('has its key in a message of %s', (_name, message) => {
    expect(envelope.key(message, 'orders', 0)).toBe(key);
  });

  it('has its payload in a text and in bytes', () => {
    expect(envelope.parse(text)).toEqual(payload);
    expect(envelope.parse(Buffer.from(text))).toEqual(payload);
  });

  it.each<[string, WrappedMessage]>([
    ['no JSON', { Body: 'secret {' }],
    ['no object', { Body: '["secret"]' }],
    ['null', { Body: 'null' }],
    ['another object', { Body: '{"password":"secret"}' }],
    ['no UTF-8', { value: Buffer.from([0x7b, 0xff, 0x7d]) }],
    ['nothing', {}],
    ['an empty body', { Body: '' }],
  ])('is refused with a typed error that tells nothing of the message, where it is %s', (_name, message) => {
    for (const call of [
      () => envelope.key(message),
      () => envelope.fingerprint(message.Body ?? message.value ?? null),
      () => envelope.parse(message.Body ?? message.value ?? null),
    ]) {
      expect(call).toThrow(InvalidKeyError);
      expect(call).toThrow(/^the message is not a.*: .+ must be .+\. \S/);
      expect(call).not.toThrow(/secret/);
      expect(call).toThrow(FITS_A_WARNING);
    }
  });
});

describe('SNS', () => {
  it('is compared by what was published, and not by its stamps', () => {
    const again = { ...snsNotification, Signature: 'other', SigningCertURL: 'https://sns.example/other.pem' };
    expect(comparedIn(sns, again)).toEqual(comparedIn(sns, snsNotification));
    const other = { ...snsNotification, Message: '{"cents":1}' };
    expect(comparedIn(sns, other)).not.toEqual(comparedIn(sns, snsNotification));
  });

  it('refuses what is no notification, by its member', () => {
    const confirmation = { ...snsNotification, Type: 'SubscriptionConfirmation' };
    expect(() => keyIn(sns, confirmation)).toThrow(/Type must be 'Notification'\..*raw message delivery/);
    expect(() => keyIn(sns, { ...snsNotification, MessageId: 7 })).toThrow(/MessageId must be a string/);
    expect(() => keyIn(sns, { ...snsNotification, Message: {} })).toThrow(/Message must be a string/);
  });

  it('leaves a Message that is no JSON to the parser', () => {
    const text = { ...snsNotification, Message: 'an order' };
    expect(keyIn(sns, text)).toBe(snsNotification.MessageId);
    expect(() => payloadIn(sns, text)).toThrow(SyntaxError);
  });
});

describe('EventBridge', () => {
  it('is compared by type and detail', () => {
    const again = { ...eventBridgeEvent, time: '2026-03-05T10:00:00Z', 'replay-name': 'again' };
    expect(comparedIn(eventBridge, again)).toEqual(comparedIn(eventBridge, eventBridgeEvent));
    for (const other of [{ detail: {} }, { 'detail-type': 'Order Paid' }, { source: 'com.example.pay' }]) {
      expect(comparedIn(eventBridge, { ...eventBridgeEvent, ...other })).not.toEqual(
        comparedIn(eventBridge, eventBridgeEvent),
      );
    }
  });

  it.each(['id', 'source', 'detail-type', 'detail'])('is refused without %s', (member) => {
    expect(() => keyIn(eventBridge, { ...eventBridgeEvent, [member]: undefined })).toThrow(
      new RegExp(`event of EventBridge: ${member} must be`),
    );
  });
});

describe('S3', () => {
  const withObject = (object: object, more: object = {}) => ({
    Records: [{ ...s3Record, ...more, s3: { ...s3Record.s3, object: { ...s3Record.s3.object, ...object } } }],
  });

  it('has another key for another bucket, object, event and sequencer, and for nothing else', () => {
    const others = [
      withObject({ sequencer: '0055AED6DCD90281E6' }),
      withObject({ key: 'invoices/april.pdf' }),
      withObject({}, { eventName: 'ObjectCreated:Copy' }),
      { Records: [{ ...s3Record, s3: { ...s3Record.s3, bucket: { name: 'other' } } }] },
    ];
    const keys = [s3Event, ...others].map((event) => keyIn(s3, event));
    expect(new Set(keys).size).toBe(5);
    const same = withObject({ size: 7 }, { eventTime: '2026-03-05T10:00:00.000Z', userIdentity: {} });
    expect(keyIn(s3, same)).toBe(keys[0]);
    expect(comparedIn(s3, same)).toEqual(comparedIn(s3, s3Event));
  });

  it('knows an event without a sequencer by its request', () => {
    const restored = withObject({ sequencer: undefined }, { eventName: 'ObjectRestore:Post' });
    expect(keyIn(s3, restored)).toContain('C3D13FE58DE4C810');
  });

  it('has one key for a message of several records', () => {
    const other = withObject({ key: 'other' }).Records[0] as object;
    expect(keyIn(s3, { Records: [s3Record, other] })).toMatch(/^\[\["example-bucket",.*\],\[".*"\]\]$/);
    expect(payloadIn(s3, { Records: [s3Record, other] })).toEqual([s3Record, other]);
  });

  it('has a key of allowed length for the longest names', () => {
    const long = (last: string) => withObject({ key: `${'ü'.repeat(500)}${last}` });
    expect(keyIn(s3, long('a'))).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(keyIn(s3, long('a'))).not.toBe(keyIn(s3, long('b')));
  });

  it('is an empty list for the test event of a new queue', () => {
    expect(keyIn(s3, s3TestEvent)).toBe('["s3:TestEvent","5582815E1AEA5ADF"]');
    expect(payloadIn(s3, s3TestEvent)).toEqual([]);
    expect(comparedIn(s3, s3TestEvent)).toEqual(['s3:TestEvent', '5582815E1AEA5ADF']);
  });

  it.each<[string, object]>([
    ['Records', { Records: [] }],
    ['s3', { Records: ['secret'] }],
    ['name', { Records: [{ ...s3Record, s3: { ...s3Record.s3, bucket: {} } }] }],
    ['key', withObject({ key: '' })],
    ['eventName', withObject({}, { eventName: undefined })],
    ['sequencer', withObject({ sequencer: 7 })],
  ])('is refused without %s', (member, event) => {
    expect(() => keyIn(s3, event)).toThrow(new RegExp(`notification of S3: ${member} must be`));
  });
});

describe('S3 through SNS', () => {
  const published = (event: unknown) => ({ ...snsNotification, Message: JSON.stringify(event) });

  it('says of an event that comes from S3 itself that the envelope is s3', () => {
    expect(() => keyIn(s3ViaSns, s3Event)).toThrow(
      "the message is not a notification of SNS: Type must be 'Notification'. From S3 itself, or with raw message " +
        'delivery: use s3.',
    );
  });

  it('says of another notification of SNS that the envelope is sns', () => {
    expect(() => keyIn(s3ViaSns, published(ORDER))).toThrow(
      /Records must be a list of records\. .*: use sns\.$/,
    );
  });
});

describe('CloudEvents', () => {
  const binary = (value: string | Buffer | null, headers: object = {}): WrappedMessage => ({
    value: value === null ? null : Buffer.from(value as string),
    headers: { ...cloudEventHeaders, ...headers },
  });
  const payloadOf = (message: WrappedMessage) => cloudEvents.parse(message.value ?? null, message);

  it('have the same key in either mode', () => {
    expect(cloudEvents.key(binary(JSON.stringify(ORDER)))).toBe(keyIn(cloudEvents, cloudEvent));
  });

  it('have no key in common where source and id are divided otherwise', () => {
    const one = { ...cloudEvent, source: 'a","b', id: 'c' };
    const other = { ...cloudEvent, source: 'a', id: 'b","c' };
    expect(keyIn(cloudEvents, one)).not.toBe(keyIn(cloudEvents, other));
  });

  it('have data in base64', () => {
    const attributes = { ...cloudEvent, data: undefined };
    const encoded = { ...attributes, data_base64: Buffer.from([1, 2, 255]).toString('base64') };
    expect(payloadIn(cloudEvents, encoded)).toEqual(Buffer.from([1, 2, 255]));
    expect(payloadIn(cloudEvents, attributes)).toBeUndefined();
  });

  it.each<[string, string | undefined, unknown]>([
    ['JSON', 'application/json; charset=utf-8', ORDER],
    ['a kind of JSON', 'application/vnd.order+json', ORDER],
    ['what has no type', undefined, ORDER],
    ['bytes', 'application/avro', Buffer.from(JSON.stringify(ORDER))],
  ])('of the binary mode have data that is %s', (_, type, payload) => {
    expect(payloadOf(binary(JSON.stringify(ORDER), { 'content-type': type }))).toEqual(payload);
  });

  it('of the binary mode have JSON in bytes of any client', () => {
    expect(cloudEvents.parse(new TextEncoder().encode('7'), binary('7'))).toBe(7);
  });

  it('of the binary mode have null for a tombstone, and headers that are bytes or lists', () => {
    expect(payloadOf(binary(null))).toBeNull();
    const bytes = binary('1', { ce_id: Buffer.from('7'), ce_source: ['/shop', '/other'] });
    expect(cloudEvents.key(bytes)).toBe('["/shop","7"]');
  });

  it('are compared by their data: a producer that uses an id twice is seen', () => {
    const other = { ...cloudEvent, data: { cents: 1 } };
    expect(comparedIn(cloudEvents, other)).not.toEqual(comparedIn(cloudEvents, cloudEvent));
    expect(cloudEvents.fingerprint(Buffer.from('1'), binary('1'))).toEqual(Buffer.from('1'));
  });

  it.each(['specversion', 'source', 'id', 'type'])('are refused without %s', (member) => {
    expect(() => keyIn(cloudEvents, { ...cloudEvent, [member]: undefined })).toThrow(
      new RegExp(`a CloudEvent: ${member} must be a string`),
    );
  });

  it.each(['ce_source', 'ce_id', 'ce_type'])('of the binary mode are refused without %s', (header) => {
    expect(() => cloudEvents.key(binary('1', { [header]: undefined }))).toThrow(
      new RegExp(`a CloudEvent: ${header} must be a string`),
    );
  });

  it('are refused as a batch', () => {
    const message = {
      ...ofSqs([cloudEvent]),
      headers: { 'content-type': 'application/cloudevents-batch+json' },
    };
    expect(() => cloudEvents.key(message)).toThrow(/content-type must be of one event/);
  });
});

describe.each(changes)('Debezium on %s', (connector, change, position) => {
  const { source } = change as { readonly source: Record<string, unknown> };

  it('has the change as payload, with and without a schema beside it', () => {
    expect(payloadIn(debezium, change)).toEqual(change);
    expect(payloadIn(debezium, withSchema(change))).toEqual(change);
    expect(keyIn(debezium, withSchema(change))).toBe(keyIn(debezium, change));
    expect(keyIn(debezium, change)).toContain(`"${connector}","shop"`);
  });

  it('has the same key and content when the connector sends the change again', () => {
    const again = {
      ...change,
      ...{ ts_ms: 7, ts_us: 7, ts_ns: 7, transaction: { id: '571' } },
      source: { ...source, version: '3.1.0.Final', xmin: 7, sequence: '[null,"24023128"]', snapshot: 'last' },
    };
    expect(keyIn(debezium, again)).toBe(keyIn(debezium, change));
    expect(comparedIn(debezium, again)).toEqual(comparedIn(debezium, change));
  });

  it('has another key for each place, table, server, operation and row', () => {
    const others = [
      ...[...position, 'name', 'db'].map((name) => ({ source: { ...source, [name]: 'other' } })),
      // One of several may be absent.
      ...position.slice(1).map((name) => ({ source: { ...source, [name]: null } })),
      { op: 'u' },
      { after: { id: 8, cents: 995 } },
    ].map((other) => keyIn(debezium, { ...change, ...other }));
    expect(new Set([keyIn(debezium, change), ...others]).size).toBe(others.length + 1);
  });
});

describe('Debezium', () => {
  it('tells rows apart that differ beyond the digits of a number', () => {
    const text = JSON.stringify(postgresChange);
    const [one, other] = ['9007199254740993', '9007199254740992'].map((id) =>
      debezium.key({ Body: text.replace('"id":7', `"id":${id}`) }),
    );
    expect(one).not.toBe(other);
  });

  it('tells deletes apart by the key of their message alone, where it has one', () => {
    const text = JSON.stringify({ ...postgresChange, op: 'd', after: null });
    const keys = [Buffer.from('7'), Buffer.from('8'), null].map((key) => debezium.key({ value: text, key }));
    expect(new Set(keys).size).toBe(3);
  });

  it('knows a tombstone by its place, where there is one', () => {
    const tombstone = { value: null, offset: '12' };
    expect(debezium.key(tombstone, 'shop.orders', 3)).toBe('["tombstone","shop.orders",3,"12"]');
    expect(debezium.parse(null)).toBeNull();
    expect(debezium.fingerprint(null)).toBeNull();
    expect(() => debezium.key({})).toThrow(InvalidKeyError);
  });

  it.each<[string, object]>([
    ['source must be an object', { op: 'c', after: {} }],
    ['op must be a string', { ...postgresChange, op: undefined }],
    [
      'source.connector must be a known one, or pass your own key: postgresql,',
      { op: 'c', source: { connector: 'secret', lsn: 1 } },
    ],
    ['source.lsn must be there', { op: 'c', source: { connector: 'postgresql', lsn: null } }],
  ])('is refused where %s', (message, change) => {
    expect(() => keyIn(debezium, change)).toThrow(message);
    expect(() => keyIn(debezium, change)).not.toThrow(/secret/);
  });
});
