import { describe, expect, it } from 'vitest';
import { type PublicName, publicNames } from './public-api.ts';

/**
 * Shapes that another library or service defines, by the word for it that the shape's own docstring has. Their members
 * are documented there, and need nothing here.
 */
const DEFINED_ELSEWHERE: Readonly<Record<string, string>> = {
  // adapters/kafka
  ConsumerTimeouts: 'kafkajs',
  KafkaConnection: 'kafkajs',
  KafkaConsumer: 'kafkajs',
  KafkaProducer: 'kafkajs',
  DeadLetterConsumer: 'kafkajs',
  DeadLetterConsumerConfig: 'kafkajs',
  RunConfig: 'kafkajs',
  // adapters/lambda
  DeadLetter: 'SQS',
  KafkaItemIdentifier: 'Lambda',
  KafkaRecord: 'Lambda',
  KafkaResponse: 'Lambda',
  LambdaContext: 'Lambda',
  LambdaSqsEvent: 'Lambda',
  SqsRecord: 'Lambda',
  SqsRecordAttribute: 'Lambda',
  SqsRecordAttributes: 'Lambda',
  SqsResponse: 'Lambda',
  // adapters/clients
  SocketTarget: 'postgres',
  // src/store/postgres
  PostgresClient: 'postgres',
  PostgresQueries: 'postgres',
  PostgresQuery: 'postgres',
};

/** Files of nothing but what clients must have, and of a type that is seen in type errors alone. */
const SHAPES = /^adapters\/(clients\/(from|pg)-|kafka\/log\/(kafkajs-types|log-admin)\.)/;

/** What the unions of adapters are made of. */
const PARTS = /^src\/adapter\/(dead-letter|delivery-event)\./;

/** What tells the alternatives of a union apart. Their values are the words that the union's docstring explains. */
const TAGS = new Set(['kind', 'state', 'type']);

const GROWS = 'in a minor version: a `switch` needs a `default`';

const names = publicNames();

describe('The docstrings', () => {
  it('cover every export: functions, classes, interfaces and types', () => {
    const exported = names.filter(({ isPublished }) => isPublished);
    expect(exported.length).toBeGreaterThan(150);
    expect(undocumented(exported)).toEqual([]);
  });

  it('cover every member, also inherited ones and those of each alternative of a union', () => {
    const members = names.filter(({ owner }) => owner !== undefined);
    expect(members.length).toBeGreaterThan(400);
    const ours = members.filter(
      ({ where, owner = '' }) => !SHAPES.test(where) && !Object.hasOwn(DEFINED_ELSEWHERE, owner),
    );
    expect(undocumented(ours.filter(({ isLiteral, name }) => !isLiteral || !TAGS.has(name)))).toEqual([]);
  });

  it.each(Object.entries(DEFINED_ELSEWHERE))('of %s names whose shape it is: %s', (shape, word) => {
    expect(names.find(({ name, owner }) => owner === undefined && name === shape)?.docs).toContain(word);
    expect(undocumented(names.filter(({ owner }) => owner === shape))).not.toEqual([]);
  });

  it('of unions of events, reasons and warnings say that they may grow', () => {
    const growing = names.filter(
      ({ where, name, isAlias }) =>
        isAlias && !PARTS.test(where) && /(Event|EventType|Reason|.Warning)$/.test(name),
    );
    expect(growing.length).toBeGreaterThan(15);
    const silent = growing.filter(({ docs }) => !docs.includes(GROWS));
    expect(silent.map(placeOf)).toEqual([]);
  });
});

function undocumented(some: readonly PublicName[]): string[] {
  return some.filter(({ docs }) => docs === '').map(placeOf);
}

function placeOf({ where, owner, name }: PublicName): string {
  return `${where} ${owner === undefined ? name : `${owner}.${name}`}`;
}
