import { describe, expect, it } from 'vitest';
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
    'envelopes',
    'errors',
    'handle-once',
    'http',
    'kafka',
    'kafka-clients',
    'lambda',
    'migrations',
    'moving-over',
    'nestjs',
    'observability',
    'operations',
    'options',
  ],
  ...['other-brokers', 'privacy', 'runtimes', 'scaling', 'sqs', 'stability', 'testing', 'transactions'],
  ...['tuning', 'webhooks'],
];

describe('The documentation', () => {
  it('has examples in the README, in its pages and in docstrings that compile, and a wrong one is seen', () => {
    const documented = allDocumentSnippets();
    expect(documented.length).toBeGreaterThan(30);
    const inDocstrings = ['src', 'adapters', 'testing'].flatMap(docstringSnippets);
    expect(inDocstrings.length).toBeGreaterThan(9);
    const wrong = { where: 'here', code: `const handleOnce = createHandleOnce({ sql, scop: 'billing' });` };
    const importing = [...inDocstrings, wrong].map((snippet) => ({
      ...snippet,
      imports: IMPORTS.join('\n'),
    }));
    expect(typeErrors([...documented, ...importing])).toEqual([expect.stringMatching(/^here: .*scop/s)]);
  }, 120_000);

  it.each(WITH_EXAMPLES)('shows code in docs/%s.md', (page) => {
    expect(documentSnippets(`docs/${page}.md`)).not.toEqual([]);
  });

  it('has no example of a process that stops and keeps its connections', () => {
    const stopping = allDocumentSnippets().filter(({ code }) => code.includes('SIGTERM'));
    expect(stopping).toHaveLength(6);
    for (const { code } of stopping) expect(code).toContain('await sql.end({ timeout: 5 });');
  });

  it('opens with an example of at most twelve lines', () => {
    const [first] = documentSnippets('README.md');
    expect(first?.code.trim().split('\n').length).toBeLessThanOrEqual(12);
  });
});
