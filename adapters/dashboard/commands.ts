import { inSingleQuotes } from '../operations/quoted.ts';

/** Delivers the dead letters of a scope again, or the one of a message. */
export function redriveCommand(scope: string, key?: string): string {
  const of = key === undefined ? '' : ` --key ${inSingleQuotes(key)}`;
  return `npx handle-once redrive --from $DEAD --to $QUEUE --scope ${inSingleQuotes(scope)}${of}`;
}

export function retryCommand(scope: string, error: string): string {
  return `npx handle-once retry --scope ${inSingleQuotes(scope)} --error ${inSingleQuotes(error)}`;
}
