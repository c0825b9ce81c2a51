import { type Envelope, envelope, type Opened, type Sealed, type WrappedMessage } from './envelope.ts';
import { isObject, keyOf, type Members, reader, sha256 } from './read.ts';

/** A change event of Debezium, without its schema. Its other members are there too. */
export interface DebeziumChange {
  /** `c`, `u`, `d`, `r` (snapshot), `t` (truncate) or `m` (message). */
  readonly op: string;
  /** The row before the change. Null or absent where there was none. */
  readonly before?: unknown;
  /** The row after the change. Null or absent where there is none. */
  readonly after?: unknown;
  /** Where the change is from. */
  readonly source: Readonly<Partial<Record<string, unknown>>>;
}

const read = reader(
  'a change event of Debezium',
  'For flattened events, heartbeats and schema changes leave debezium out.',
);

/** The members of `source` that say where in the log of its database a change stands, by connector. */
const POSITIONS: Readonly<Partial<Record<string, readonly string[]>>> = {
  postgresql: ['lsn'],
  mysql: ['server_id', 'file', 'pos', 'row'],
  mariadb: ['server_id', 'file', 'pos', 'row'],
  sqlserver: ['commit_lsn', 'change_lsn', 'event_serial_no'],
  db2: ['commit_lsn', 'change_lsn'],
  oracle: ['commit_scn', 'scn', 'rs_id', 'ssn'],
  mongodb: ['rs', 'ts_ms', 'ord'],
};

/** Which table it is, of whatever database. */
const TABLE = ['connector', 'name', 'db', 'schema', 'table', 'collection'];

/** Members of a change that can differ when the connector sends it again. */
const STAMPS = new Set(['source', 'ts_ms', 'ts_us', 'ts_ns', 'transaction']);

function open(sealed: Sealed): Opened<DebeziumChange | null> {
  if (sealed.body === null) return tombstone(sealed);
  const document = read.document(sealed);
  const change = isObject(document['payload']) ? document['payload'] : document;
  const source = read.object(change, 'source');
  const op = read.text(change, 'op');
  const content = Object.fromEntries(Object.entries(change).filter(([name]) => !STAMPS.has(name)));
  return {
    key: () => keyOf([...placeIn(source), op, rowOf(content, sealed.message)]),
    payload: () => ({ ...change, op, source }),
    compared: () => content,
  };
}

/** One position of a log can have changes of many rows: of a COPY, a snapshot, a transaction of MongoDB. */
function rowOf(content: object, { key }: WrappedMessage): string {
  const row = key === null || key === undefined ? null : Buffer.from(key as Uint8Array).toString('base64');
  return sha256(JSON.stringify([content, row]));
}

function placeIn(source: Members): unknown[] {
  const connector = read.text(source, 'connector');
  const members = POSITIONS[connector];
  if (members === undefined) {
    const known = Object.keys(POSITIONS).join(', ');
    throw read.malformed('source.connector', `a known one, or pass your own key: ${known}`);
  }
  const position = members.map((name) => source[name] ?? null);
  if (position.every((part) => part === null)) throw read.malformed(`source.${members.join(', ')}`, 'there');
  return [...TABLE.flatMap((name) => source[name] ?? []), ...position];
}

/** What follows a delete in a compacted topic. It has nothing but its coordinates. */
function tombstone({ coordinates }: Sealed): Opened<null> {
  return {
    key() {
      if (coordinates.includes(undefined)) throw read.malformed('the body', 'a JSON object');
      return keyOf(['tombstone', ...coordinates]);
    },
    payload: () => null,
    compared: () => null,
  };
}

/**
 * Debezium: the key is the position of the change in the log of its database, with its table and a hash of its row; the
 * payload is the change event. With JSON, with or without schemas.
 *
 * The key dedupes changes that a restarted connector writes a second time. It does not dedupe a new snapshot, or
 * changes that a connector reads after a failover to a server whose log has other positions. A tombstone is null, and
 * is identified by its coordinates in the topic.
 *
 * @example
 * ```ts
 * const options = { consumer, groupId, handleOnce, onFailed: 'acknowledge', ...debezium } as const;
 * await consumer.run(
 *   onceEachKafkaMessage(options, async ({ payload: change }) => {
 *     if (change !== null) console.log(change.op, change.after);
 *   }),
 * );
 * ```
 */
export const debezium: Envelope<DebeziumChange | null> = envelope(open);
