import type { DatabaseClient } from '../../../src/postgres/database-client.ts';

/** What one check of `doctor` found. */
export interface Finding {
  /** What was checked, such as `clock`. Names stay; a minor version may add some. */
  readonly check: string;
  /**
   * `ok`: nothing to do. `notice`: it works, at a cost or a risk; or it could not be checked. `problem`: messages are
   * not handled, or can be handled twice.
   */
  readonly level: 'ok' | 'notice' | 'problem';
  /** What the check found, with figures. It has no key and no payload. */
  readonly found: string;
  /** What to do. Undefined if there is nothing to do, or `found` says it. */
  readonly fix?: string;
}

/** A finding before the table of checks gives it its name. */
export type Found = Omit<Finding, 'check'>;

/** What checks get. */
export interface Subject {
  readonly client: DatabaseClient;
  readonly schema: string;
  readonly concurrency: number | undefined;
}

/** It reads, and changes nothing. It throws what the database refuses. */
export type Check = (subject: Subject) => Found | Promise<Found>;

export function ok(found: string): Found {
  return { level: 'ok', found };
}

export function notice(found: string, fix: string): Found {
  return { level: 'notice', found, fix };
}

export function problem(found: string, fix: string): Found {
  return { level: 'problem', found, fix };
}

/** The end of a fix that names the first of several. */
export function andOthers(count: number): string {
  return count > 1 ? ', and the same for the others' : '';
}
