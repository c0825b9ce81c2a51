import type { EventError } from '../../src/reporting/event-error.ts';

/**
 * What maintenance did.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type MaintenanceEvent =
  /** A walk through the tables has ended. */
  | (WalkFigures & { readonly type: 'maintained' })
  /** A walk has found abandoned records. */
  | {
      readonly type: 'abandoned';
      /** How many, in all scopes. */
      readonly abandoned: number;
      /** Those that have most of them, at most ten. */
      readonly scopes: readonly string[];
    }
  /** A walk was given up; it goes on where it was left. */
  | {
      readonly type: 'maintenance-error';
      /** What the database refused. */
      readonly error: EventError;
    };

/** What a whole walk counted. */
export interface WalkFigures {
  /** Records that were deleted: expired ones, and those that were abandoned for long. */
  readonly purged: number;
  /** Records that are left. */
  readonly records: number;
  /** Of those, how many are free to run for long, and not delivered again. */
  readonly abandoned: number;
}
