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
      /** The scopes that have most of them, at most ten. */
      readonly scopes: readonly string[];
    }
  /** A walk was given up; it goes on where it was left. */
  | {
      readonly type: 'maintenance-error';
      /** The error that the database gave. */
      readonly error: EventError;
    };

/** What a whole walk counted. */
export interface WalkFigures {
  /** Records that were deleted: expired ones, and those that have been abandoned for a long time. */
  readonly purged: number;
  /** Records that remain. */
  readonly records: number;
  /** How many of those have been free to run for a long time without a delivery. */
  readonly abandoned: number;
}
