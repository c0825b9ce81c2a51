export type CrashPoint = 'before-claim' | 'after-claim' | 'in-handler' | 'after-effect' | 'after-settle';

export interface CrashOrder {
  /** Of the database. */
  readonly url: string;
  readonly server: 'fetch' | 'node';
  readonly dieAt: CrashPoint | null;
}
