/** How the handler keeps its effects from happening again. */
export type Guard = 'nothing' | 'childKey' | 'step';

/** In the order of the handler. */
export const EFFECTS = ['summary', 'charge', 'mail'] as const;

/** Whether the effect has happened by then, and what the handler knows of it. */
export type DieAt = 'in-charge' | 'after-charge';

export interface Queue {
  readonly broker: 'sqs';
  readonly endpoint: string;
  readonly queueUrl: string;
}

export interface Topic {
  readonly broker: 'kafka';
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
}

export interface EffectsSettings {
  readonly source: Queue | Topic;
  readonly databaseUrl: string;
  readonly scope: string;
  readonly guard: Guard;
  /** Undefined: it lives. */
  readonly dieAt?: DieAt;
}
