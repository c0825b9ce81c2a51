import { describe, expect, it } from 'vitest';
import { type PublicName, publicNames } from './public-api.ts';
import { allDocumentSnippets, docstringSnippets, documentSnippets } from './snippets.ts';
import { typeErrors } from './type-errors.ts';

const CORE = `import { createHandleOnce, migrate, migrationSql, retention, RetryableError, TerminalError } from 'handle-once';
import { writeFile } from 'node:fs/promises';
import postgres from 'postgres';`;
const SQS = `import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createSqsWorker, timeOrderedKey, onceEachSqsMessage } from 'handle-once/sqs';
import { onceEachConsumerMessage, onceEachConsumerBatch } from 'handle-once/sqs';
import { Consumer } from 'sqs-consumer';`;
const KAFKA = `import { onceEachKafkaMessage } from 'handle-once/kafka';`;
const LAMBDA = `import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';`;
const WEBHOOK = `import { Webhook } from 'standardwebhooks';
import { VerifyConfigError, webhookId, onceEachWebhook } from 'handle-once/webhook';`;
const HTTP = `import { createServer } from 'node:http';
import { attemptOf, onceEachNodeRequest, onceEachRequest } from 'handle-once/http';`;
const TESTING = `import { adapterContract, type AdapterUnderTest, clientContract, storeContract } from 'handle-once/contracts';
import { crashTest, createAttempt, createFakeConsumer, createFakeQueue, createMemoryStore } from 'handle-once/testing';`;
const ADAPTER = `import { onceEach } from 'handle-once/adapter';`;
const NESTJS = `import { Injectable, Module } from '@nestjs/common';
import type { Attempt, HandleOnce } from 'handle-once';
import type { KafkaDelivery } from 'handle-once/kafka';
import { HandleOnceModule, InjectHandleOnce, OnKafkaMessage, OnSqsMessage } from 'handle-once/nestjs';`;
const ENVELOPES = `import { cloudEvents, debezium, eventBridge, s3, sns } from 'handle-once/envelopes';`;
const RUNNER = `import { test } from 'vitest';`;
const IMPORTS = [CORE, SQS, KAFKA, LAMBDA, WEBHOOK, HTTP, TESTING, ADAPTER, ENVELOPES, NESTJS, RUNNER];
/** Pages that readers copy code from. */
const WITH_EXAMPLES = [
  ...[
    'clients',
    'errors',
    'handle-once',
    'http',
    'kafka',
    'kafka-clients',
    'lambda',
    'more-sources',
    'moving-over',
    'observability',
    'operations',
    'options',
  ],
  ...['scaling', 'sqs', 'testing', 'transactions'],
  ...['tuning', 'webhooks'],
];

describe('The documentation', () => {
  it('has examples in the README, in its pages and in docstrings that compile, and a wrong one is seen', async () => {
    const documented = allDocumentSnippets();
    expect(documented.length).toBeGreaterThan(30);
    const inDocstrings = ['src', 'adapters', 'testing'].flatMap(docstringSnippets);
    expect(inDocstrings.length).toBeGreaterThan(9);
    const wrong = { where: 'here', code: `const handleOnce = createHandleOnce({ sql, scop: 'billing' });` };
    const importing = [...inDocstrings, wrong].map((snippet) => ({
      ...snippet,
      imports: IMPORTS.join('\n'),
    }));
    expect(await typeErrors([...documented, ...importing])).toEqual([
      expect.stringMatching(/^here: .*scop/s),
    ]);
  }, 120_000);

  it.each(WITH_EXAMPLES)('shows code in docs/%s.md', (page) => {
    expect(documentSnippets(`docs/${page}.md`)).not.toEqual([]);
  });

  it('has no example of a process that stops and keeps its connections', () => {
    const stopping = allDocumentSnippets().filter(({ code }) => code.includes('SIGTERM'));
    expect(stopping).toHaveLength(7);
    for (const { code } of stopping) expect(code).toContain('await sql.end({ timeout: 5 });');
  });

  it('opens with an example of at most twelve lines', () => {
    const [first] = documentSnippets('README.md');
    expect(first?.code.trim().split('\n').length).toBeLessThanOrEqual(12);
  });
});

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
