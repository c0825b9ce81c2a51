export type CrashPoint =
  | 'before-claim'
  | 'after-claim'
  | 'in-handler'
  | 'after-effect'
  /** It has answered, and that is not on record yet. */
  | 'after-handler'
  /** It is on record, and not sent yet. */
  | 'after-settle';

export interface CrashOrder {
  /** Of the database. */
  readonly url: string;
  readonly server: 'fetch' | 'node';
  readonly dieAt: CrashPoint | null;
}
