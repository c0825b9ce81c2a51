import { type DeadLetterFacts } from '../../../src/adapter-kit.ts';
import { IDENTITY_ATTRIBUTE, readIdentity } from './copy-identity.ts';

/** An attribute of a message as queues of AWS take it. */
export interface TextAttribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** Any attribute of a message, as far as its size needs. */
export interface MeasurableAttribute {
  readonly DataType?: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
}

/** In the order of their value. */
export const OUR_ATTRIBUTES = [
  'HandleOnceScope',
  'HandleOnceKey',
  'HandleOnceError',
  'HandleOnceAttempts',
] as const;

/** The same of a message that was refused: it has no record, and its 0 attempts say that a redrive is to keep it. */
const OURS_OF_REFUSED = OUR_ATTRIBUTES.toReversed();

/** A queue takes no more attributes than this on one message. */
const MAX_ATTRIBUTES = 10;
/** Of the body, and of the name, type and value of each attribute. */
const MAX_MESSAGE_BYTES = 1_048_576;
export const MAX_TEXT_LENGTH = 1_000;

/** The original's attributes, then as many of ours as a queue takes: what is the sender's goes first. */
export function deadLetterAttributes<Attribute extends MeasurableAttribute>(
  body: string,
  original: Readonly<Record<string, Attribute>>,
  facts: DeadLetterFacts,
) {
  let attributes: Record<string, Attribute | TextAttribute> = withoutOurs(original, facts.scope);
  /** Those of ours that found no room. */
  const dropped: string[] = [];
  const values = ourValues(facts);
  for (const name of facts.attempts === 0 ? OURS_OF_REFUSED : OUR_ATTRIBUTES) {
    const more = { ...attributes, [name]: values[name] };
    if (fitsInQueue(body, more)) attributes = more;
    else dropped.push(name);
  }
  return { attributes, dropped };
}

/** Whether SQS takes a message with these. */
export function fitsInQueue(
  body: string,
  attributes: Readonly<Record<string, MeasurableAttribute>>,
): boolean {
  const entries = Object.entries(attributes);
  const bytes = entries.reduce(
    (sum, [name, attribute]) => sum + sizeOf(name, attribute),
    Buffer.byteLength(body),
  );
  return entries.length <= MAX_ATTRIBUTES && bytes <= MAX_MESSAGE_BYTES;
}

/**
 * A copy of a dead letter that failed again still has ours of the first time. Of these it keeps its identity, where the
 * record is in that scope: it is how the next copy finds the record when the new ones find no room.
 */
export function withoutOurs<Attribute extends MeasurableAttribute>(
  original: Readonly<Record<string, Attribute>>,
  scope: string,
): Record<string, Attribute> {
  const ours: readonly string[] = OUR_ATTRIBUTES;
  const isKept = ([name, { StringValue }]: [string, Attribute]): boolean =>
    name === IDENTITY_ATTRIBUTE ? readIdentity(StringValue)?.scope === scope : !ours.includes(name);
  return Object.fromEntries(Object.entries(original).filter(isKept));
}

function ourValues(facts: DeadLetterFacts): Record<(typeof OUR_ATTRIBUTES)[number], TextAttribute> {
  return {
    HandleOnceScope: stringAttribute(facts.scope),
    HandleOnceKey: stringAttribute(facts.key),
    HandleOnceError: stringAttribute(facts.errorText),
    HandleOnceAttempts: { DataType: 'Number', StringValue: String(facts.attempts) },
  };
}

function sizeOf(name: string, { DataType = '', StringValue = '', BinaryValue }: MeasurableAttribute): number {
  return Buffer.byteLength(name + DataType + StringValue) + (BinaryValue?.byteLength ?? 0);
}

/** No queue takes an empty value, or characters that XML 1.0 lacks. A key that was refused can be anything. */
function stringAttribute(value: unknown): TextAttribute {
  const wellFormed = bounded(String(value)).toWellFormed();
  // oxlint-disable-next-line no-control-regex -- these are the characters to replace
  const accepted = wellFormed.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return { DataType: 'String', StringValue: accepted === '' ? '\ufffd' : accepted };
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1)}…`;
}
