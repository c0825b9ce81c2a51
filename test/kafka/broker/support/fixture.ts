import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { createHandleOnce, type HandleOnce, type HandleOnceOptions } from 'handle-once';
import type { KafkaEvent, KafkaHandler } from 'handle-once/kafka';
import type { KafkaPayload } from '../../../../adapters/kafka/options/options.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Admin, Message } from 'kafkajs';
import type postgres from 'postgres';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { useDatabase } from '../../../support/database.ts';
import type { Offsets } from '../../../support/kafka-offsets.ts';
import { expectSoon, until } from '../../../support/until.ts';
import { type TestKafka, type TopicOptions, useKafka } from '../../../support/kafka.ts';
import { startMember } from './client.ts';
import type { Member, MemberOptions } from './members/member.ts';

export type { Member, MemberOptions } from './members/member.ts';

const LEASE_MS = 2_000;
export interface RecordRow {
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly failed_reason: string | null;
  readonly error: string | null;
}

/** A topic, a consumer group, and a `handleOnce` of their own. */
export interface Setup {
  readonly topic: string;
  readonly groupId: string;
  readonly handleOnce: HandleOnce;
  /** The scope of the group's records. */
  readonly scope: string;
  /** All events of all members. */
  readonly events: KafkaEvent[];
  eventsOf<Type extends KafkaEvent['type']>(type: Type): Extract<KafkaEvent, { type: Type }>[];
  produce(...messages: Message[]): Promise<void>;
  /** A member of the group. It leaves when the test ends. */
  start<Schema extends StandardSchemaV1 | undefined = undefined, Parsed = Buffer | null>(
    handler: KafkaHandler<KafkaPayload<Schema, Parsed>>,
    options?: MemberOptions<Schema, Parsed>,
  ): Promise<Member>;
  committed(): Promise<Offsets>;
  /** Waits until the group has committed to the end of every partition. */
  caughtUp(): Promise<void>;
  /** Waits until the group has committed so far, in each partition. */
  committedTo(...offsets: Offsets): Promise<void>;
  /** Makes a group without members forget what it has committed: it begins again. */
  rewind(): Promise<void>;
  records(): Promise<RecordRow[]>;
}

export interface Fixture {
  readonly kafka: TestKafka;
  readonly sql: postgres.Sql;
  readonly databaseUrl: string;
  readonly setup: (options?: TopicOptions, handleOnceOptions?: Partial<HandleOnceOptions>) => Promise<Setup>;
}

/** What the tests of one file share: a broker and a database. */
export function useFixture(kafka: TestKafka = useKafka()): Fixture {
  const { sql, url: databaseUrl } = useDatabase();
  return {
    kafka,
    sql,
    databaseUrl,
    async setup(options, handleOnceOptions) {
      const topic = await kafka.createTopic(options);
      return setupOf(kafka, sql, topic, handleOnceOptions);
    },
  };
}

function setupOf(
  kafka: TestKafka,
  sql: postgres.Sql,
  topic: string,
  handleOnceOptions: Partial<HandleOnceOptions> = {},
): Setup {
  const groupId = kafka.groupId();
  const backoff = { baseMs: 0, maxMs: 0 };
  const handleOnce = createHandleOnce({
    sql,
    scope: randomUUID(),
    leaseMs: LEASE_MS,
    backoff,
    ...handleOnceOptions,
  });
  const scope = handleOnce.inScope({ kind: 'kafka', name: groupId }).settings.scope;
  const events: KafkaEvent[] = [];
  const committed = () => kafka.committed(groupId, topic);
  const members: object[] = [];
  const asked = requestsOf(kafka.admin);
  onTestFailed(async ({ task }) => {
    const seen = { groupId, committed: await committed(), members, asked, events };
    const [error] = task.result?.errors ?? [];
    // In the error, so that the summary at the end of a run has it too.
    if (error !== undefined) error.message += `\n${inspect(seen, { depth: 5, maxArrayLength: 100 })}`;
  });
  return {
    topic,
    groupId,
    handleOnce,
    scope,
    events,
    eventsOf: (type) => events.filter((event) => event.type === type) as never,
    produce: (...messages) => kafka.produce(topic, messages),

    async start(handler, { client, ...options } = {}) {
      const plan = { client, kafka, topic, groupId, handleOnce, events };
      const { member, seen } = startMember({ ...plan, options: options as never, handler: handler as never });
      members.push(seen);
      await member.restart();
      return member;
    },

    committed,
    async caughtUp() {
      // A broker that has just started may not lead the partitions yet.
      const ends = await expectSoon(() => kafka.endOffsets(topic));
      await expectSoon(async () => {
        // Where nothing was ever produced nothing is committed.
        expect((await committed()).map((offset) => Math.max(offset, 0))).toEqual(ends);
      });
    },
    async committedTo(...offsets) {
      await expectSoon(async () => {
        expect(await committed()).toEqual(offsets);
      });
    },
    async rewind() {
      await kafka.admin.deleteGroups([groupId]);
    },
    records: () =>
      sql<RecordRow[]>`
        select key, state, attempts, failed_reason, error from handle_once.records
        where scope = ${scope} order by length(key), key`,
  };
}

/** The last requests of an admin client. */
function requestsOf(admin: Admin): readonly string[] {
  const requests: string[] = [];
  const note = (line: string): void => {
    requests.push(`${Math.round(performance.now())} ${line}`);
    requests.splice(0, requests.length - 100);
  };
  const { REQUEST, REQUEST_TIMEOUT } = admin.events;
  const ends = [
    admin.on(REQUEST, ({ payload: { apiName, duration } }) => {
      note(`${apiName} took ${duration} ms`);
    }),
    admin.on(REQUEST_TIMEOUT, ({ payload: { apiName } }) => {
      note(`${apiName} had no answer`);
    }),
  ];
  onTestFinished(() => {
    for (const end of ends) end();
  });
  return requests;
}

/** Numbered messages of one partition, whose values are their numbers. */
export function numbered(count: number, partition = 0, from = 0): Message[] {
  return Array.from({ length: count }, (_, n) => ({ partition, value: String(from + n) }));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/** Ends a member as a deploy does. */
export async function leave({ consumer }: Member): Promise<void> {
  await consumer.disconnect();
}

/** For what has to be waited for without anything to see: that nothing happens. */
export async function someHeartbeats(member: Member, count = 3): Promise<void> {
  const before = member.heartbeats();
  await until(() => member.heartbeats() >= before + count);
}
