import { type Command } from 'commander';
import type { RecordView } from '../../src/operations.ts';
import { shared, type SharedOptions } from './command.ts';
import { printable } from './printable.ts';

export interface OneOptions extends SharedOptions {
  readonly scope: string;
}

/** A command about one record. */
export function one(program: Command, name: string, description: string): Command {
  return shared(program.command(`${name} <key>`).description(description)).requiredOption(
    '--scope <scope>',
    'the whole scope, with what adapters add, in quotes: "billing>kafka:workers"',
  );
}

/** A record, one line for each of its columns. */
export function linesOf(record: RecordView): string {
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(13)} ${printable(textOf(value))}`)
    .join('\n');
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
