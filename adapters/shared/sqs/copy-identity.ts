import { lazily } from '../../../src/adapter-kit.ts';
import * as z from 'zod/mini';

/** Names the original of a redriven copy. */
export const IDENTITY_ATTRIBUTE = 'HandleOnceIdentity';

const copyIdentity = lazily(() =>
  z.union([
    z.strictObject({ scope: z.string(), key: z.string() }),
    z.strictObject({ scope: z.string(), messageId: z.string(), sentAt: z.optional(z.string()) }),
  ]),
);

/**
 * The record that a copy belongs to; or its original, with the `MessageId` and `SentTimestamp` that it had, where only
 * the consumer's own key function knows the key.
 */
export type CopyIdentity = z.output<ReturnType<typeof copyIdentity>>;

/** What an identity can say of an original. */
export interface OriginalFacts {
  readonly scope: string;
  readonly messageId?: string | undefined;
  readonly sentAt?: string | undefined;
}

/** JSON, in characters that SQS takes. */
export function writeIdentity(identity: CopyIdentity): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16)}`;
  return JSON.stringify(identity).replaceAll(/[\ufffe\uffff]/g, escaped);
}

/** Undefined for what is no identity. */
export function readIdentity(text: string | undefined): CopyIdentity | undefined {
  if (text === undefined) return undefined;
  try {
    return copyIdentity().safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** How the messages of an adapter name their originals. */
export interface CopyForm<Message> {
  /** The value of the attribute. */
  identityText(message: Message): string | undefined;
  /** The message without its identity, and with the id and time of its original where they are known. */
  asOriginal(message: Message, original: OriginalFacts): Message;
}

export type QueueKey<Message> = (message: Message) => string | undefined;

/** The key of what a copy is a copy of. */
export function keyOfOriginal<Message>(
  message: Message,
  identity: CopyIdentity,
  key: QueueKey<Message>,
  form: CopyForm<Message>,
): string | undefined {
  return 'key' in identity ? identity.key : key(form.asOriginal(message, identity));
}

/**
 * The same key function, and for a redriven copy the key of its original. A copy that belongs to another scope is a
 * separate message.
 */
export function withOriginals<Message>(
  key: QueueKey<Message>,
  scope: string,
  form: CopyForm<Message>,
): QueueKey<Message> {
  return (message) => {
    const identity = readIdentity(form.identityText(message));
    return identity?.scope === scope ? keyOfOriginal(message, identity, key, form) : key(message);
  };
}

/** A redriven copy as its original, for what compares messages. Any other message is itself. */
export function originalOf<Message>(message: Message, scope: string, form: CopyForm<Message>): Message {
  const identity = readIdentity(form.identityText(message));
  return identity?.scope === scope ? form.asOriginal(message, identity) : message;
}

interface Received {
  readonly MessageId?: string | undefined;
  readonly Attributes?: object | undefined;
  readonly MessageAttributes?:
    | Readonly<Record<string, { readonly StringValue?: string | undefined }>>
    | undefined;
}

/** Of messages as ReceiveMessage gives them. */
export function receivedForm<Message extends Received>(): CopyForm<Message> {
  return {
    identityText: ({ MessageAttributes }) => MessageAttributes?.[IDENTITY_ATTRIBUTE]?.StringValue,
    asOriginal: (message, { messageId, sentAt }) => ({
      ...message,
      ...(messageId === undefined ? {} : { MessageId: messageId }),
      Attributes: { ...message.Attributes, ...(sentAt === undefined ? {} : { SentTimestamp: sentAt }) },
      MessageAttributes: withoutIdentity(message.MessageAttributes),
    }),
  };
}

/** ReceiveMessage gives undefined where a message has none. */
function withoutIdentity<Attributes extends object>(attributes: Attributes = {} as Attributes) {
  const own = Object.entries(attributes).filter(([name]) => name !== IDENTITY_ATTRIBUTE);
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
