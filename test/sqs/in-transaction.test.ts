import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce, TerminalError } from 'handle-once';
import { createSqsWorker, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useShipped } from '../support/shipped.ts';
import { createQueue, useSqs } from '../support/sqs.ts';
import { gate } from '../support/gate.ts';
import { until } from '../support/until.ts';

/** What the server says where two transactions cannot both be done. */
const CONFLICT = `do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`;

const client = useSqs('fauxqs');
const { sql } = useDatabase();

const shipped = useShipped(sql);

async function setup() {
  const queueUrl = await createQueue(client, { visibilityTimeoutSeconds: 60 });
  const handleOnce = createHandleOnce({ sql, scope: queueUrl });
  return { client, queueUrl, handleOnce, inTransaction: true, onFailed: 'acknowledge' } as const;
}

test('what a handler writes through its transaction commits with the record', async () => {
  const base = await setup();
  const { queueUrl, handleOnce } = base;
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '"a"' }));
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  const handle = onceEachSqsMessage(base, async (payload, attempt, tx) => {
    await tx`insert into shipped (id) values (${String(payload)})`;
    expect(attempt.message).toBe(Messages[0]);
    return 'done';
  });
  for (const message of Messages) {
    expect(await handle(message)).toMatchObject({ action: 'acknowledged', outcome: { result: 'done' } });
  }
  expect(await shipped()).toEqual(['a']);
  expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1 });
});

test('a worker rolls back what a handler wrote that failed', async () => {
  const base = await setup();
  const handled = vi.fn();
  const worker = createSqsWorker(
    {
      ...base,
      waitTimeSeconds: 1,
      onEvent: handled,
    },
    async (payload, _, tx) => {
      await tx`insert into shipped (id) values (${String(payload)})`;
      if (payload === 'bad') throw new TerminalError('no');
    },
  );
  onTestFinished(async () => {
    await worker.stop();
  });
  for (const body of ['"bad"', '"good"']) {
    await client.send(new SendMessageCommand({ QueueUrl: base.queueUrl, MessageBody: body }));
  }
  await worker.start();
  await vi.waitFor(() => {
    expect(worker.counts()).toMatchObject({ acknowledged: 2 });
  }, 10_000);
  expect(await shipped()).toEqual(['good']);
});

test('a transaction that loses a conflict keeps its place while its handler runs again', async () => {
  const base = await setup();
  const { queueUrl } = base;
  for (const body of ['"a"', '"b"']) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  }
  const runs: unknown[] = [];
  let running = 0;
  let most = 0;
  const worker = createSqsWorker({ ...base, concurrency: 1, waitTimeSeconds: 1 }, async (payload, _, tx) => {
    const isFirst = runs.push(payload) === 1;
    running += 1;
    most = Math.max(most, running);
    try {
      if (isFirst) await tx.unsafe(CONFLICT);
      // Another message, if it is let in, runs beside the second run: it waits for that, which leaves it time to come.
      if (payload !== runs[0]) await until(() => runs.length === 3);
      else for (let looks = 0; looks < 20; looks += 1) await sql`select 1`;
    } finally {
      running -= 1;
    }
  });
  onTestFinished(async () => {
    await worker.stop();
  });
  await worker.start();
  await until(() => worker.counts().acknowledged === 2);
  expect(runs).toHaveLength(3);
  expect(most).toBe(1);
});

test('a transaction that hangs says nothing of the database: its worker stays ready', async () => {
  const base = await setup();
  const { queueUrl } = base;
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '"a"' }));
  const end = gate();
  const handleOnce = createHandleOnce({ sql, scope: queueUrl, timeoutMs: 50 });
  const worker = createSqsWorker({ ...base, handleOnce, waitTimeSeconds: 1 }, () => end.opened);
  onTestFinished(async () => {
    end.open();
    await worker.stop();
  });
  await worker.start();
  await until(() => worker.counts().kept === 1);
  expect(handleOnce.counts()).toMatchObject({ unrecorded: 1 });
  expect(worker.health()).toMatchObject({ ready: true, store: 'reachable' });
});

test('a store without transactions is refused', () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'a' });
  const options = { client, queueUrl: 'https://sqs.example/q', handleOnce, inTransaction: true } as const;
  expect(() => onceEachSqsMessage(options, () => 1)).toThrow(
    'inTransaction: needs a handleOnce made with sql',
  );
});

test('a pool that its handlers can use up is a warning at start', async () => {
  const warnings: unknown[] = [];
  const worker = createSqsWorker(
    {
      ...(await setup()),
      waitTimeSeconds: 0,
      concurrency: sql.options.max,
      onEvent: (event) => {
        if (event.type === 'warning') warnings.push(event.warning);
      },
    },
    () => undefined,
  );
  onTestFinished(async () => {
    await worker.stop();
  });
  await worker.start();
  expect(warnings).toContain('POOL_TOO_SMALL');
});
