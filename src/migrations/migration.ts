export interface Migration {
  readonly version: number;
  /** The file's name in `migrations/`. */
  readonly name: string;
  /** Plain SQL; `:"schema"` stands for the quoted schema name, as psql writes it. */
  readonly sql: string;
}
