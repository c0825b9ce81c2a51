export interface Migration {
  readonly version: number;
  /** The file's name in `migrations/`. */
  readonly name: string;
  /** The SHA-256 of the file, in hexadecimal digits. */
  readonly checksum: string;
  /** Plain SQL; `:"schema"` stands for the quoted schema name, as psql writes it. */
  readonly sql: string;
}
