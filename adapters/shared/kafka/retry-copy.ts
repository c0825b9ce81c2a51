import type { LogMessage } from './log-identity.ts';

/** Values by name. A list where a name came more than once. */
export type LogHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

export interface CopiedMessage extends LogMessage {
  readonly offset: string;
  readonly headers: Readonly<LogHeaders>;
}

interface Placed<Message> {
  readonly topic: string;
  readonly partition: number;
  readonly message: Message;
}

const PREFIX = 'handle-once-retry-';

export const TOPIC_NAME = /^(?!\.{1,2}$)[\w.-]{1,249}$/;

/** What each header has to look like. As Kafka writes them, so that no two texts mean one place. */
const FORMATS = {
  topic: TOPIC_NAME,
  partition: /^(0|[1-9]\d{0,9})$/,
  offset: /^(0|[1-9]\d{0,18})$/,
  timestamp: /^(-1|0|[1-9]\d{0,18})$/,
} as const;

/** The copy that goes to another place: the original key, value and headers, and where the original stands. */
export function retryCopyOf({ topic, partition, message }: Placed<CopiedMessage>, groupId: string) {
  const { key, value, headers, offset, timestamp } = message;
  return {
    key,
    value,
    headers: {
      ...headers,
      [`${PREFIX}topic`]: topic,
      [`${PREFIX}partition`]: String(partition),
      [`${PREFIX}offset`]: offset,
      [`${PREFIX}timestamp`]: timestamp,
      [`${PREFIX}group`]: groupId,
    },
  };
}

export type RetryCopy = ReturnType<typeof retryCopyOf>;

/** The original of a copy, or the message itself. */
export type ToOriginal<Message> = (placed: Placed<Message>) => Placed<Message>;

/**
 * A copy is believed in a retry topic, and in the topic of its original, to which it was redriven. Elsewhere its
 * headers can have been passed on with another message.
 */
export function createToOriginal<Message extends CopiedMessage>(
  groupId: string,
  isRetryTopic: (topic: string) => boolean,
): ToOriginal<Message> {
  return (placed) => {
    const original = originalOf(placed.message, groupId);
    const isBelieved = original?.topic === placed.topic || isRetryTopic(placed.topic);
    return isBelieved ? (original ?? placed) : placed;
  };
}

/** The original of a copy, as it was fetched. Undefined for what is no copy made for this group. */
export function originalOf<Message extends CopiedMessage>(
  copy: Message,
  groupId: string,
): Placed<Message> | undefined {
  if (textOf(copy.headers[`${PREFIX}group`]) !== groupId) return undefined;
  const topic = factOf(copy, 'topic');
  const partition = factOf(copy, 'partition');
  const offset = factOf(copy, 'offset');
  const timestamp = factOf(copy, 'timestamp');
  if (topic === undefined || partition === undefined || offset === undefined || timestamp === undefined) {
    return undefined;
  }
  const headers = Object.fromEntries(
    Object.entries(copy.headers).filter(([name]) => !name.startsWith(PREFIX)),
  );
  return { topic, partition: Number(partition), message: { ...copy, offset, timestamp, headers } };
}

function factOf({ headers }: CopiedMessage, name: keyof typeof FORMATS): string | undefined {
  const text = textOf(headers[`${PREFIX}${name}`]);
  return text !== undefined && FORMATS[name].test(text) ? text : undefined;
}

export function textOf(header: LogHeaders[string]): string | undefined {
  return Buffer.isBuffer(header) ? header.toString('utf8') : typeof header === 'string' ? header : undefined;
}
