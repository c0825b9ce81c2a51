// Envelopes in the form that each vendor documents, with values of our own.

export const ORDER = { id: 'order-7', cents: 995 };

export const snsNotification = {
  Type: 'Notification',
  MessageId: '5d2bd0c4-6c5f-5b7e-9f0e-8a1c2a3f4b5d',
  TopicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
  Subject: 'an order',
  Message: JSON.stringify(ORDER),
  Timestamp: '2026-03-05T09:30:00.123Z',
  SignatureVersion: '1',
  Signature: 'U2lnbmF0dXJl',
  SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123.pem',
  UnsubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn',
  MessageAttributes: { tenant: { Type: 'String', Value: 'acme' } },
};

export const eventBridgeEvent = {
  version: '0',
  id: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
  'detail-type': 'Order Placed',
  source: 'com.example.shop',
  account: '111122223333',
  time: '2026-03-05T09:30:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:dynamodb:eu-central-1:111122223333:table/orders'],
  detail: ORDER,
};

export const s3Record = {
  eventVersion: '2.1',
  eventSource: 'aws:s3',
  awsRegion: 'eu-central-1',
  eventTime: '2026-03-05T09:30:00.000Z',
  eventName: 'ObjectCreated:Put',
  userIdentity: { principalId: 'AWS:AIDAEXAMPLE' },
  requestParameters: { sourceIPAddress: '192.0.2.7' },
  responseElements: { 'x-amz-request-id': 'C3D13FE58DE4C810', 'x-amz-id-2': 'FMyUVURIY8' },
  s3: {
    s3SchemaVersion: '1.0',
    configurationId: 'invoices',
    bucket: {
      name: 'example-bucket',
      ownerIdentity: { principalId: 'A3NL1KOZZKExample' },
      arn: 'arn:aws:s3:::example-bucket',
    },
    object: {
      key: 'invoices/march+2026.pdf',
      size: 1024,
      eTag: 'd41d8cd98f00b204e9800998ecf8427e',
      versionId: '096fKKXTRTtl3on89fVO.nfljtsv6qko',
      sequencer: '0055AED6DCD90281E5',
    },
  },
};

export const s3TestEvent = {
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-03-05T09:30:00.000Z',
  Bucket: 'example-bucket',
  RequestId: '5582815E1AEA5ADF',
  HostId: '8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3eKxsPzbB9wrR',
};

export const cloudEvent = {
  specversion: '1.0',
  type: 'com.example.order.placed',
  source: '/shop/orders',
  subject: 'order-7',
  id: 'A234-1234-1234',
  time: '2026-03-05T09:30:00Z',
  datacontenttype: 'application/json',
  data: ORDER,
};

export const cloudEventHeaders = {
  ce_specversion: '1.0',
  ce_type: 'com.example.order.placed',
  ce_source: '/shop/orders',
  ce_id: 'A234-1234-1234',
  ce_time: '2026-03-05T09:30:00Z',
  'content-type': 'application/json',
};

/** What the sources of all connectors have. */
const SOURCE = { version: '3.0.0.Final', ts_ms: 1772703000000, snapshot: 'false', sequence: null };

export const postgresChange = {
  before: null,
  after: { id: 7, cents: 995 },
  source: {
    ...SOURCE,
    connector: 'postgresql',
    name: 'shop',
    db: 'shop',
    sequence: '["24023119","24023128"]',
    schema: 'public',
    table: 'orders',
    txId: 555,
    lsn: 24023128,
    xmin: null,
  },
  transaction: null,
  op: 'c',
  ts_ms: 1772703000456,
  ts_us: 1772703000456789,
  ts_ns: 1772703000456789012n.toString(),
};

/** With schemas, as the JSON converter of Kafka Connect writes them by default. */
export const withSchema = (payload: object) => ({
  schema: { type: 'struct', optional: false, name: 'shop.public.orders.Envelope', fields: [] },
  payload,
});

const change = (source: object) => ({ ...postgresChange, source: { ...SOURCE, ...source } });

/** A change of each connector, and the members that tell its place from another. */
export const changes: readonly [connector: string, change: object, position: readonly string[]][] = [
  ['postgresql', postgresChange, ['lsn']],
  [
    'mysql',
    change({
      ...{
        connector: 'mysql',
        name: 'shop',
        db: 'shop',
        table: 'orders',
        gtid: null,
        thread: 7,
        query: null,
      },
      ...{ server_id: 223344, file: 'mysql-bin.000003', pos: 484, row: 0 },
    }),
    ['server_id', 'file', 'pos', 'row'],
  ],
  [
    'sqlserver',
    change({
      ...{ connector: 'sqlserver', name: 'shop', db: 'shop', schema: 'dbo', table: 'orders' },
      ...{ change_lsn: '00000027:00000758:0003', commit_lsn: '00000027:00000758:0005', event_serial_no: 1 },
    }),
    ['change_lsn', 'commit_lsn', 'event_serial_no'],
  ],
  [
    'oracle',
    change({
      ...{
        connector: 'oracle',
        name: 'shop',
        db: 'ORCLPDB1',
        schema: 'SHOP',
        table: 'ORDERS',
        txId: '6.28.807',
      },
      ...{ scn: '2122185', commit_scn: '2122185', rs_id: '001234.00012345.0124', ssn: 1, redo_thread: 1 },
    }),
    ['scn', 'commit_scn', 'rs_id', 'ssn'],
  ],
  [
    'db2',
    change({
      ...{ connector: 'db2', name: 'shop', db: 'SHOP', schema: 'DB2INST1', table: 'ORDERS' },
      ...{ change_lsn: '00000000:00000000:00000000:0012', commit_lsn: '00000000:00000000:00000000:0013' },
    }),
    ['change_lsn', 'commit_lsn'],
  ],
  [
    'mongodb',
    change({
      ...{ connector: 'mongodb', name: 'shop', db: 'shop', rs: 'rs0', collection: 'orders' },
      ...{ ord: 31, ts_ms: 1772703000000, lsid: null, txnNumber: null, wallTime: null },
    }),
    ['ord', 'ts_ms'],
  ],
];
