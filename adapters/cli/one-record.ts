import { type Command } from 'commander';
import type { RecordView } from '../operations/index.ts';
import { type Answer, shared, type SharedOptions } from './command.ts';
import { EXIT } from './errors.ts';
import { printable } from './printable.ts';
import { quoted } from '../operations/quoted.ts';

export const WHOLE_SCOPE = 'the whole scope, with what adapters add, in quotes: "billing>kafka:workers"';

export const NO_RECORD = 'no such record';

export interface FoundOptions extends SharedOptions {
  readonly scope?: string;
}

/** A command that looks at the records of a key. */
export function found(program: Command, name: string, description: string): Command {
  return shared(program.command(`${name} <key>`).description(description)).option(
    '--scope <scope>',
    `${WHOLE_SCOPE} (default: all scopes; two look-ups by index for each scope, not for each record)`,
  );
}

/** What is said of a key that was looked for in all scopes: each of its records with its scope. */
export function eachOf<Found>(
  all: readonly Found[],
  textOf: (one: Found) => string,
  none = 'no such record in any scope',
): Answer {
  if (all.length === 0) return { json: all, text: none, exitCode: EXIT.unchanged };
  return { json: all, text: all.map(textOf).join('\n\n\n') };
}

/** A record, one line for each of its columns. */
export function linesOf(record: RecordView): string {
  return Object.entries(record)
    .map(
      ([name, value]) =>
        `${name.padEnd(13)} ${printable(name === 'scope' ? quoted(record.scope) : textOf(value))}`,
    )
    .join('\n');
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
