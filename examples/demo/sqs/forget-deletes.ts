import {
  type DeleteMessageBatchCommandInput,
  type DeleteMessageBatchCommandOutput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Journal } from '../journal.ts';

const FORGETFUL_FOR = 80;
const FORGET_EVERY = 4;
const NOTHING_SENT = { output: { Successful: [], Failed: [], $metadata: {} }, response: undefined };

/** Has the client forget some of its first deletes, and say that they were done: as if the calls had been lost. */
export function forgetDeletes(client: SQSClient, journal: Journal): void {
  let deletes = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'DeleteMessageBatchCommand') return await next(args);
        const input = args.input as DeleteMessageBatchCommandInput;
        const entries = input.Entries ?? [];
        const forgotten = entries.filter(() => forgets((deletes += 1)));
        const kept = entries.filter((entry) => !forgotten.includes(entry));
        await journal.disturbed(forgotten.length);
        const result =
          kept.length > 0 ? await next({ ...args, input: { ...input, Entries: kept } }) : NOTHING_SENT;
        const { Successful = [], ...rest } = result.output as DeleteMessageBatchCommandOutput;
        return {
          ...result,
          output: { ...rest, Successful: [...Successful, ...forgotten.map(({ Id }) => ({ Id }))] },
        };
      },
    { step: 'initialize' },
  );
}

function forgets(nthDelete: number): boolean {
  return nthDelete <= FORGETFUL_FOR && nthDelete % FORGET_EVERY === 0;
}
