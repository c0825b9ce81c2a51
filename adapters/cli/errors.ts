/** The command was called in a way that cannot work: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The broker refused, or is out of reach: exit code 1. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
}

/** The database, the broker or a module of the user's own gave no answer: exit code 1. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** What the exit code of a command says. */
export const EXIT = {
  /** It did its work. */
  done: 0,
  /** The database or the broker refused or is out of reach. */
  failed: 1,
  /** The command or one of its options is wrong. */
  usage: 2,
  /** There was nothing to do it to: no such record, or one in another state. */
  unchanged: 3,
  /** It found something that a person has to look at. */
  found: 3,
} as const;
