import { expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { httpFields } from '../../adapters/http/options.ts';
import { onceEachMessageOptions } from '../../adapters/kafka/options/options.ts';
import { retryOption } from '../../adapters/kafka/options/retry-options.ts';
import { lambdaFields } from '../../adapters/lambda/options.ts';
import { sqsWorkerOptions } from '../../adapters/sqs/options.ts';
import { onceEachOptions } from '../../src/adapter/once-each/options.ts';
import { optionsSchema } from '../../src/api/options.ts';
import { gatheredBatchOption } from '../../src/options/batch-options.ts';
import { tableUnder, textOf } from './documents.ts';

const PAGE = textOf('docs/limits.md');
const LIMITS = new Map(
  ['Keys and names', 'Times', 'Counts', 'Sizes'].flatMap((heading) =>
    tableUnder(PAGE, heading).map(([what = '', limit = '']) => [what, limit] as const),
  ),
);

const core = optionsSchema().shape;

/** Options whose errors say their bounds. */
const OPTIONS: readonly [what: string, option: z.ZodMiniType][] = [
  ['`leaseMs`', core.leaseMs],
  ['`timeoutMs`', core.timeoutMs],
  ['`succeededRetentionMs`, `failedRetentionMs`', core.succeededRetentionMs],
  ['`maxDeferredMs`', core.maxDeferredMs],
  ['`waitMs` of HTTP, `drainMs`, `rebalanceGraceMs`', httpFields().waitMs],
  ['`waitMs` of HTTP, `drainMs`, `rebalanceGraceMs`', sqsWorkerOptions().shape.drainMs],
  ['`waitMs` of HTTP, `drainMs`, `rebalanceGraceMs`', onceEachMessageOptions().shape.rebalanceGraceMs],
  ['`deadlineMarginMs`', lambdaFields().deadlineMarginMs],
  ['`delayMs` of a retry topic', retryOption().shape.topics.def.element.shape.delayMs],
  ['`patienceMs`', onceEachOptions().shape.patienceMs],
  ['`waitMs` of a batch', gatheredBatchOption().def.innerType.shape.waitMs],
  ['`size` of a batch', gatheredBatchOption().def.innerType.shape.size],
  ['`visibilityTimeoutSeconds`', sqsWorkerOptions().shape.visibilityTimeoutSeconds],
  ['`maxAttempts`, `maxDeaths`', core.maxAttempts],
  ['`concurrency`', sqsWorkerOptions().shape.concurrency],
  ['a stored result', core.maxResultBytes],
  ['all steps of a message', core.maxStepBytes],
  ['the body of an HTTP request', httpFields().maxRequestBytes],
];

it.each(OPTIONS)('docs/limits.md has the bounds of %s', (what, option) => {
  const message = option.safeParse(-1).error?.issues[0]?.message ?? '';
  const bounds = /from ([\d,]+ to [\d,]+)/.exec(message)?.[1] ?? 'the error names no bounds';
  expect(LIMITS.get(what)).toContain(bounds);
});

/** Limits that are no options. */
const CONSTANTS: readonly [what: string, file: string, name: string][] = [
  ['a key, a scope, the name of a child key', 'src/options/key.ts', 'MAX_KEY_LENGTH'],
  ['a scope with what adapters and `inScope` add', 'src/options/scope.ts', 'MAX_SCOPE_BYTES'],
  ['the header `Idempotency-Key`', 'adapters/http/key-header.ts', 'MAX_KEY_LENGTH'],
  ['a wait between two attempts', 'src/options/backoff.ts', 'MAX_WAIT_MS'],
  ['steps of a message', 'src/engine/steps/steps.ts', 'MAX_STEPS'],
  ['a wait for the database', 'src/store/records.ts', 'SHORTEST_REPLY_TIMEOUT_MS'],
  ['entries of `handleOnce.batch`', 'src/options/batch-options.ts', 'MAX_BATCH_SIZE'],
  ['`concurrency` times `size`', 'src/options/batch-options.ts', 'MAX_MESSAGES'],
  ['a batch that an SQS worker gathers', 'src/adapter/batch-gatherer.ts', 'MAX_BYTES'],
  [
    'runs of a handler in one attempt, after conflicts',
    'src/engine/attempt-in-transaction.ts',
    'MAX_CONFLICTS',
  ],
  [
    'messages that a Kafka partition remembers ahead of its position',
    'adapters/kafka/partition/acknowledged-ahead.ts',
    'MOST_REMEMBERED',
  ],
  ['rows of the table `failures`', 'src/history/failures.ts', 'MAX_PER_SECOND'],
  ['rows of the table `failures`', 'adapters/operations/statements/history.ts', 'LINES_PER_RECORD'],
  ['a stored error', 'src/payload/stored-error.ts', 'MAX_MESSAGE_LENGTH'],
  ['a stored error', 'src/payload/stored-error.ts', 'MAX_NAME_LENGTH'],
  ['a stored error', 'src/payload/stored-error.ts', 'MAX_CAUSES'],
  ['levels of a payload', 'src/payload/canonical-json.ts', 'MAX_LEVELS'],
  ['a dead letter of SQS', 'adapters/shared/sqs/dead-letter-attributes.ts', 'MAX_ATTRIBUTES'],
  ['a dead letter of SQS', 'adapters/shared/sqs/dead-letter-attributes.ts', 'MAX_MESSAGE_BYTES'],
];

it.each(CONSTANTS)('docs/limits.md has the limit of %s', (what, file, name) => {
  const value = new RegExp(String.raw`const ${name} = ([\d_]+)\b`).exec(textOf(file))?.[1];
  expect(value, `${name} in ${file}`).toBeDefined();
  const digits = Number(value?.replaceAll('_', '')).toLocaleString('en-US');
  expect(LIMITS.get(what)).toMatch(new RegExp(String.raw`(?<![\d,])${digits}(?![\d,]\d)`));
});

it('docs/limits.md has nothing that is not checked, but for what is described in words', () => {
  const checked = new Set([...OPTIONS, ...CONSTANTS].map(([what]) => what));
  const others = [...LIMITS.keys()].filter((what) => !checked.has(what));
  expect(others).toEqual([
    'the name of a webhook source',
    'the Postgres schema',
    'records that `listRecords` gives',
    'dead letters that a redrive sends in a second',
  ]);
});
