/** Why a message is in a dead-letter queue. */
export interface DeadLetterFacts {
  readonly scope: string;
  readonly key: string;
  readonly errorName: string;
  readonly attempts: number;
}

/** An attribute of a message as queues of AWS take it. */
export interface TextAttribute {
  readonly DataType: 'String' | 'Number';
  readonly StringValue: string;
}

/** A queue takes no more attributes than this on one message. */
const MAX_ATTRIBUTES = 10;

/** The original's attributes, and why it is there. Of ours, those that find no room among ten are left out. */
export function deadLetterAttributes<Attribute>(
  original: Readonly<Record<string, Attribute>>,
  facts: DeadLetterFacts,
): Record<string, Attribute | TextAttribute> {
  const ours: [string, TextAttribute][] = [
    ['HandleOnceScope', stringAttribute(facts.scope)],
    ['HandleOnceKey', stringAttribute(facts.key)],
    ['HandleOnceError', stringAttribute(facts.errorName)],
    ['HandleOnceAttempts', { DataType: 'Number', StringValue: String(facts.attempts) }],
  ];
  const all: [string, Attribute | TextAttribute][] = [...Object.entries(original), ...ours];
  return Object.fromEntries(all.slice(0, MAX_ATTRIBUTES));
}

/** No queue takes an empty value, or characters that XML 1.0 lacks. A key that was refused can be anything. */
function stringAttribute(value: unknown): TextAttribute {
  const wellFormed = String(value).toWellFormed();
  // eslint-disable-next-line no-control-regex -- these are the characters to replace
  const accepted = wellFormed.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return { DataType: 'String', StringValue: accepted === '' ? '\ufffd' : accepted };
}
