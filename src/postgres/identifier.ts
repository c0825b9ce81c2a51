/** Schema names that are accepted: no longer than Postgres keeps, and without characters to escape. */
export const SCHEMA_NAME = /^(?!pg_)[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export const SCHEMA_NAME_RULE =
  'must be 1 to 63 ASCII letters, digits or underscores, not starting with a digit or pg_';

export const DEFAULT_SCHEMA = 'handle_once';

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
