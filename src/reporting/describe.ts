import type { EventError } from './event-error.ts';
import { printable } from '../lib/printable.ts';
import { isA, isError, readable } from '../lib/safe-read.ts';
import { HandleOnceError } from '../words/errors.ts';
import type { LogFields, LoggedError } from './logger.ts';
import type { ReportedEvent, Row } from './table.ts';

const MAX_TEXT = 200;
/** Of a message of ours, which ends with what to do. */
const MAX_OWN_TEXT = 1_000;
const MAX_FRAMES = 10;

/** Fields of events that the line has, in this order. */
const DETAILS = [
  ...['scope', 'queue', 'key', 'id', 'messageId', 'itemIdentifier', 'topic', 'partition', 'offset', 'to'],
  ...['abandoned', 'purged', 'records', 'attempts', 'reason', 'verb', 'code', 'status', 'retryAfterMs'],
];
/** Of these, the ones that an event with a message of its own is about. */
const PLACES = ['scope', 'queue'];

/** An event in one line. */
export function textOf(row: Row, event: ReportedEvent): string {
  return printable(sentenceOf(row, event));
}

function sentenceOf({ says }: Row, event: ReportedEvent): string {
  if (event.message !== undefined) return `${event.message}${detailsOf(event, PLACES)}`;
  const where = detailsOf(event, DETAILS);
  const why = event.error === undefined ? '' : `: ${describeError(event.error)}`;
  return `handle-once: ${says}${where}${why}`;
}

function detailsOf(event: ReportedEvent, names: readonly string[]): string {
  const fields = flat(event);
  const details = names
    .filter((name) => isPlain(fields[name]) && fields[name] !== '')
    .map((name) => `${name} ${oneLine(String(fields[name]))}`);
  return details.length === 0 ? '' : ` (${details.join(', ')})`;
}

/** What a line says of an error. */
export function describeError({ name, message, code, original }: EventError): string {
  const max = isA(original, HandleOnceError) ? MAX_OWN_TEXT : MAX_TEXT;
  const known = code === undefined ? '' : ` (${oneLine(String(code))})`;
  return `${oneLine(name)}${known}: ${oneLine(message, max)}`;
}

/** Bounded, and without what would break the line. */
function oneLine(text: string, max = MAX_TEXT): string {
  const cut = text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
  return cut.replaceAll(/\p{Cc}+/gu, ' ');
}

/** An event as fields of a log line. */
export function fieldsOf({ code }: Row, event: ReportedEvent): LogFields {
  const { error } = event;
  const plain = Object.entries(flat(event)).filter(([name, value]) => name !== 'message' && isPlain(value));
  return {
    ...(Object.fromEntries(plain) as unknown as LogFields),
    code,
    ...(error === undefined ? {} : { error: loggedError(error) }),
  };
}

/** `itemIdentifier` can be an object, such as a partition and an offset. */
function flat(event: ReportedEvent): Readonly<Record<string, unknown>> {
  const { itemIdentifier, ...fields } = event as unknown as Readonly<Record<string, unknown>>;
  if (itemIdentifier === undefined) return fields;
  return { ...(typeof itemIdentifier === 'object' ? itemIdentifier : { itemIdentifier }), ...fields };
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function loggedError({ name, message, code, original }: EventError): LoggedError {
  const stack = framesOf(original);
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
  };
}

/** The places in the code alone: the stack's own text begins with the message, however long. */
function framesOf(thrown: unknown): string | undefined {
  const stack = isError(thrown) ? readable(thrown, 'stack') : undefined;
  if (typeof stack !== 'string') return undefined;
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line));
  return frames.length === 0 ? undefined : frames.slice(0, MAX_FRAMES).join('\n');
}
