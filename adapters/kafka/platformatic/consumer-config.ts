import type * as z from 'zod';
import type { Warning } from '../../shared/warn.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import type { KafkaWarning } from '../log/events.ts';
import { assignEvenly } from './assign-evenly.ts';
import { timeFaults, givenIn, heartbeatWarnings, leaseWarnings } from '../settings-check.ts';

/** Options of the package's `Consumer`, such as `bootstrapBrokers`. */
export type PlatformaticConfig = object;

type Settings = Readonly<Record<string, unknown>>;

/** What the client uses where the config does not say. Milliseconds. */
export const DEFAULTS = { sessionTimeout: 60_000, heartbeatInterval: 3_000, rebalanceTimeout: 102_000 };

/** What is used here where the config does not say. */
const OWN_DEFAULTS = {
  clientId: 'handle-once',
  // A partition that is to be read again waits for the fetch of the others.
  maxWaitTime: 500,
  partitionAssigner: assignEvenly,
};

/** What decides what is fetched, and when. */
const FETCH_SETTINGS = ['maxWaitTime', 'minBytes', 'maxBytes', 'maxBytesPerPartition'];

const MOST_BYTES_OF_PARTITION = 1_048_576;

const BYTES = 'has no effect: give schema or parse, which get the bytes';
const STREAMS = 'has no effect: the worker uses no stream of the client';

/** What decides over positions, or would have no effect, and how it is asked for instead. */
const REFUSED: Readonly<Record<string, string>> = {
  groupId: 'is set to the option groupId',
  autocommit: 'is set to false: offsets are committed when their messages are settled',
  isolationLevel: 'is always READ_COMMITTED, the default: messages of aborted transactions are never read',
  protocolsMetadata: 'is set: partitions are given back when running handlers have ended',
  retries:
    'is set to 0: the worker tries again itself. With more, a commit that comes too late would join the group',
  retryDelay: 'has no effect: the worker tries again itself',
  clientRack:
    "must be left out: partitions are fetched from their leaders. Confluent's client has client.rack",
  deserializers: BYTES,
  beforeDeserialization: BYTES,
  registry: BYTES,
  highWaterMark: STREAMS,
  streamContext: STREAMS,
  heartbeatStallTimeout: 'has no effect: nothing listens to its event',
  groupRemoteAssignor: "has no effect: it is for groupProtocol: 'consumer'",
};

/** The other options of the package's `Consumer`, which ignores a name that it does not know. */
const TAKEN: ReadonlySet<string> = new Set([
  ...Object.keys(DEFAULTS),
  ...FETCH_SETTINGS,
  ...['bootstrapBrokers', 'clientId', 'tls', 'ssl', 'tlsServerName', 'sasl', 'timeout', 'connectTimeout'],
  ...['requestTimeout', 'maxInflights', 'handleBackPressure', 'metadataMaxAge', 'autocreateTopics', 'strict'],
  ...['groupInstanceId', 'groupProtocol', 'protocols', 'partitionAssigner', 'assignmentUserData'],
  ...['metrics', 'context'],
]);

/** Refuses settings that would change what is committed, or who has a partition. */
export function checkConfig(config: Settings, context: z.core.$RefinementCtx<Settings>): void {
  for (const [name, message] of faultsOf(config)) {
    context.addIssue({ code: 'custom', path: [name], message });
  }
}

function* faultsOf(config: Settings): Generator<[name: string, message: string]> {
  for (const [name, message] of Object.entries(REFUSED)) {
    if (config[name] !== undefined) yield [name, message];
  }
  for (const name of Object.keys(config)) {
    if (!TAKEN.has(name) && !Object.hasOwn(REFUSED, name))
      yield [name, 'is not an option of the Consumer; remove it or correct its spelling'];
  }
  if (!Array.isArray(config['bootstrapBrokers']) || config['bootstrapBrokers'].length === 0) {
    yield ['bootstrapBrokers', "must be a list of brokers, such as ['localhost:9092']"];
  }
  yield* timeFaults(config, Object.keys(DEFAULTS));
  for (const name of FETCH_SETTINGS) {
    const given = config[name];
    if (given !== undefined && !(typeof given === 'number' && given >= 0))
      yield [name, 'must be a number, of milliseconds or bytes, that is not negative'];
  }
  if (timeOf(config, 'sessionTimeout') > timeOf(config, 'rebalanceTimeout'))
    yield ['rebalanceTimeout', 'must be at least sessionTimeout; it is 102,000 where you give none'];
  if (timeOf(config, 'heartbeatInterval') > timeOf(config, 'sessionTimeout'))
    yield ['heartbeatInterval', 'must be at most sessionTimeout; it is 3,000 where you give none'];
  if (namesOf(config['protocols']).includes('cooperative')) {
    yield ['protocols', "must not be 'cooperative-sticky': all partitions are given back together"];
  }
  if (!['classic', undefined].includes(config['groupProtocol'] as string | undefined)) {
    yield ['groupProtocol', "must be 'classic': all partitions are given back together"];
  }
}

function namesOf(protocols: unknown): string {
  return JSON.stringify(Array.isArray(protocols) ? protocols.map((one: { name?: unknown }) => one.name) : []);
}

/** What the client's consumers are made with. */
export function consumerOptionsOf(config: Settings, groupId: string): Settings {
  return { ...OWN_DEFAULTS, ...givenIn(config), groupId, autocommit: false, retries: 0 };
}

/** The most that a fetch brings of one partition, but for a batch that is larger alone. */
export function bytesOfPartition({ maxBytesPerPartition }: Settings): number {
  return typeof maxBytesPerPartition === 'number' ? maxBytesPerPartition : MOST_BYTES_OF_PARTITION;
}

function timeOf(config: Settings, name: keyof typeof DEFAULTS): number {
  return Number(config[name] ?? DEFAULTS[name]);
}

/** Timeouts of the consumer that contradict one another or the lease. */
export function configWarnings(config: Settings, settings: HandleOnceSettings): Warning<KafkaWarning>[] {
  const named = (name: keyof typeof DEFAULTS) => ({ name, ms: timeOf(config, name) });
  const session = named('sessionTimeout');
  return [...heartbeatWarnings(session, named('heartbeatInterval')), ...leaseWarnings(session, settings)];
}
