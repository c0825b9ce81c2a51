/** What a scenario is given. */
export interface Chaos {
  /** A PostgreSQL server with a migrated database to copy. */
  readonly postgresUrl: string;
  readonly databasePrefix: string;
  readonly seed: number;
  /** For a look, not for the record. */
  readonly quick: boolean;
}
