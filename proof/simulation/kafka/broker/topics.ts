export const GROUP = 'workers';
export const TOPIC = 'messages';
export const DEAD_LETTER_TOPIC = 'letters';

/** Of a seed that has any, the first ones. */
export const RETRY_TOPIC_NAMES = ['retry-soon', 'retry-late'] as const;
export const RETRY_TOPICS: ReadonlySet<string> = new Set(RETRY_TOPIC_NAMES);

export const RETRY_PARTITIONS = 2;

export const TOPIC_RETENTION_MS = 604_800_000;
