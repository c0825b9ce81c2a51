import {
  type DeleteMessageBatchCommandInput,
  type DeleteMessageBatchCommandOutput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Journal } from '../journal.ts';

const FORGETFUL_FOR = 80;
const FORGET_EVERY = 4;

/** Has the client forget some of its first deletes, and say that they were done: as if the calls had been lost. */
export function forgetDeletes(client: SQSClient, journal: Journal): void {
  let deletes = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'DeleteMessageBatchCommand') return await next(args);
        const input = args.input as DeleteMessageBatchCommandInput;
        const entries = input.Entries ?? [];
        const kept = entries.filter(() => !forgets((deletes += 1)));
        await journal.disturbed(entries.length - kept.length);
        if (kept.length > 0) return await next({ ...args, input: { ...input, Entries: kept } });
        const output: DeleteMessageBatchCommandOutput = { Successful: [], Failed: [], $metadata: {} };
        return { output, response: undefined };
      },
    { step: 'initialize' },
  );
}

function forgets(nthDelete: number): boolean {
  return nthDelete <= FORGETFUL_FOR && nthDelete % FORGET_EVERY === 0;
}
