import { type Command, Option } from 'commander';
import { HandleOnceError, InvalidOptionsError } from '../../src/index.ts';
import type { TablesOptions } from '../operations/index.ts';
import { connect } from './connect.ts';
import { inUnits, timeout } from './duration.ts';
import { BrokerError, EXIT, NoAnswerError, UsageError } from './errors.ts';
import { answered, giveUpAfter } from './give-up.ts';
import { inOneLine } from './one-line.ts';
import { printable, printableJson } from './printable.ts';

/** Options of every command. */
export interface SharedOptions {
  readonly databaseUrl?: string;
  readonly config?: string;
  readonly schema: string;
  readonly json?: boolean;
  /** Milliseconds. A migration has none. */
  readonly timeout?: number;
}

/** What a command has to say, for people and for programs, and whether it did its work. */
export interface Answer {
  readonly text: string;
  readonly json: unknown;
  readonly exitCode?: number;
}

/** Whether a call of a command goes on for as long as there is work. */
type IsUnhurried = (options: { readonly all?: boolean | undefined }, args: readonly string[]) => boolean;

/** Adds the options of a command that asks the database, and bounds all that it does by one of them. */
export function shared(command: Command, isUnhurried: IsUnhurried = () => false): Command {
  return withTimeout(command, 'give up after this long without an answer').hook('preAction', (_, action) => {
    const { timeout: ms, all } = action.opts<{ readonly timeout: number; readonly all?: boolean }>();
    if (isUnhurried({ all }, action.args)) return;
    giveUpAfter(
      ms,
      `there was no answer within ${inUnits(ms)}: is the database reachable? --timeout 10m waits longer`,
    );
  });
}

/** The same for one that goes on for as long as there is work: each answer of the database has that limit. */
export function unhurried(command: Command): Command {
  return withTimeout(command, 'give up when the database does not answer for this long');
}

function withTimeout(command: Command, description: string): Command {
  return connected(command).addOption(
    new Option('--timeout <time>', description).argParser(timeout).default(timeout('60s'), '60s'),
  );
}

/** Adds the options that every command has. */
export function connected(command: Command): Command {
  return command
    .option('--database-url <url>', 'the database (default: DATABASE_URL)')
    .option('--config <file>', 'a module that exports clients: sql, as for createHandleOnce')
    .option('--schema <name>', 'the Postgres schema that has the tables', 'handle_once')
    .option('--json', 'print JSON');
}

/** Runs a command against the database, and prints its answer, unless it has printed that itself. */
export async function answer(
  options: SharedOptions,
  work: (tables: TablesOptions) => Promise<Answer | undefined>,
): Promise<void> {
  const { sql, end } = await connect(options);
  try {
    const said = await work({ sql, databaseSchema: options.schema, replyTimeoutMs: options.timeout });
    if (said !== undefined) print(options, said);
  } finally {
    await end();
  }
}

export function print({ json }: Pick<SharedOptions, 'json'>, said: Answer): void {
  answered();
  process.stdout.write(`${json === true ? printableJson(said.json) : said.text}\n`);
  process.exitCode = said.exitCode ?? EXIT.done;
}

/** The options of the command, by what the functions call them. */
const FLAGS: Readonly<Partial<Record<string, string>>> = {
  abandonedAfterMs: '--abandoned-after',
  after: '--after',
  client: 'sqs of --config',
  concurrency: '--concurrency',
  confirm: '--confirm',
  databaseSchema: '--schema',
  error: '--error',
  from: '--from',
  kafka: 'kafka of --config',
  key: 'the key',
  limit: '--limit',
  maxMs: '--for',
  perSecond: '--per-second',
  purgeAbandonedAfterMs: '--purge-abandoned-after',
  replyTimeoutMs: '--timeout',
  role: 'the role',
  schema: '--schema',
  scope: '--scope',
  since: '--since',
  sinceMs: '--since',
  step: '--step',
  to: '--to',
  until: '--until',
};

/** The name of an option in a sentence about another. */
const NAMES = new RegExp(
  String.raw`\b(?:${Object.keys(FLAGS)
    .filter((name) => /[A-Z]/.test(name))
    .join('|')})\b`,
  'g',
);

/** Says what went wrong, in one line. An error of ours has the fix in its message. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`handle-once: ${printable(messageOf(error))}\n`);
  const isUsage = error instanceof UsageError || error instanceof InvalidOptionsError;
  process.exitCode = isUsage ? EXIT.usage : EXIT.failed;
}

function inFlags(message: string): string {
  return message.replaceAll(NAMES, (name) => FLAGS[name] ?? name);
}

function messageOf(error: unknown): string {
  if (error instanceof InvalidOptionsError) {
    return error.issues
      .map(({ field, message }) => `${FLAGS[field] ?? field} ${inFlags(message)}`)
      .join('; ');
  }
  const isOurs = [HandleOnceError, UsageError, BrokerError, NoAnswerError].some(
    (ours) => error instanceof ours,
  );
  return error instanceof Error && isOurs ? error.message : inOneLine(error);
}
