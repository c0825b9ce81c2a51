import { foundKey } from '../../../src/adapter-kit.ts';
import type { KeptDeadLetter, DeadLetterIdentity } from '../../operations/redrive/dead-letter.ts';
import { InvalidKeyError, InvalidOptionsError } from '../../../src/index.ts';
import {
  type CopyIdentity,
  keyOfOriginal,
  type QueueKey,
  readIdentity,
  receivedForm,
} from '../../shared/sqs/copy-identity.ts';
import { MAX_TEXT_LENGTH, OUR_ATTRIBUTES } from '../../shared/sqs/dead-letter-attributes.ts';
import type { SqsMessage } from '../message.ts';

/** The record of a dead letter, and what its copy says of that. */
export interface DeadLetterOwner extends DeadLetterIdentity {
  readonly identity: CopyIdentity;
}

export interface WhoseOptions {
  readonly scope?: string | undefined;
  readonly key: QueueKey<SqsMessage>;
}

/** Of the options that have the key function. */
export const SUBJECT = 'redriveQueue';

const form = receivedForm<SqsMessage>();

/** Whose dead letter it is, or why that is not known. */
export function ownerOf(message: SqsMessage, options: WhoseOptions): DeadLetterOwner | KeptDeadLetter {
  const attempts = textOf(message, 'HandleOnceAttempts');
  if (attempts === '0') return { kept: 'refused' };
  const named = namedIn(message);
  const identity = named ?? unnamed(message, options.scope);
  if ('kept' in identity) return identity;
  if (options.scope !== undefined && identity.scope !== options.scope) return { kept: 'other-scope' };
  const key = keyFor(message, identity, options.key);
  if (key === undefined) return { kept: 'no-identity' };
  const namesScope = named !== undefined;
  const sentAt = attempts === undefined ? undefined : sentAtOf(message);
  return {
    ...{ scope: identity.scope, key, isOwn: isOwn(identity, key, attempts), sentAt, namesScope, identity },
    attempts: Number(attempts ?? 0),
  };
}

/** What our dead letter says, then what a redriven copy says that the queue's own policy moved. */
function namedIn(message: SqsMessage): CopyIdentity | undefined {
  const ofRecord = { scope: exactText(message, 'HandleOnceScope'), key: exactText(message, 'HandleOnceKey') };
  if (ofRecord.scope !== undefined && ofRecord.key !== undefined) {
    return { scope: ofRecord.scope, key: ofRecord.key };
  }
  return readIdentity(form.identityText(message));
}

/** A dead letter that the queue's own policy moved has its own id, and the scope that is given. */
function unnamed(message: SqsMessage, scope: string | undefined): CopyIdentity | KeptDeadLetter {
  const isOurs = OUR_ATTRIBUTES.some((name) => textOf(message, name) !== undefined);
  if (isOurs || message.MessageId === undefined) return { kept: 'no-identity' };
  if (scope === undefined) return { kept: 'no-scope' };
  return { scope, messageId: message.MessageId, sentAt: message.Attributes?.SentTimestamp };
}

/**
 * Whether no other message can have the record. A `MessageId` is of one message. Of a key that our dead letter names,
 * the number of attempts says that the dead letter is no refused one.
 */
function isOwn(identity: CopyIdentity, key: string, attempts: string | undefined): boolean {
  return 'messageId' in identity ? key === identity.messageId : attempts !== undefined;
}

function sentAtOf({ Attributes }: SqsMessage): Date | undefined {
  const sentAt = Attributes?.SentTimestamp;
  return sentAt === undefined ? undefined : new Date(Number(sentAt));
}

function keyFor(message: SqsMessage, identity: CopyIdentity, key: QueueKey<SqsMessage>): string | undefined {
  try {
    return foundKey(() => keyOfOriginal(message, identity, key, form));
  } catch (error) {
    if (error instanceof InvalidKeyError) return undefined;
    throw error instanceof InvalidOptionsError ? new InvalidOptionsError(SUBJECT, error.issues) : error;
  }
}

function textOf({ MessageAttributes }: SqsMessage, name: string): string | undefined {
  return MessageAttributes?.[name]?.StringValue;
}

/** As it is on record. Undefined where the dead letter had to shorten it, or to replace characters. */
function exactText(message: SqsMessage, name: string): string | undefined {
  const text = textOf(message, name);
  const isShortened = text?.length === MAX_TEXT_LENGTH && text.endsWith('…');
  return isShortened || text?.includes('\ufffd') === true ? undefined : text;
}
