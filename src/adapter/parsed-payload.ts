import type { StandardSchemaV1 } from '@standard-schema/spec';

/** What a handler gets: the schema's output, or else what `parse` returns. */
export type ParsedPayload<Schema, Parsed> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Awaited<Parsed>;

/** What the options of a handler lack that asks for a payload which nothing has checked. */
export interface NeedsSchemaOrParse {
  /** Or a `schema`. */
  readonly parse: object;
}

/**
 * What options need beside their own: `parse`, where there is no schema and the handler asks for more than `Raw`, which
 * it gets otherwise. The compiler infers `Parsed` from the handler too.
 */
export type PayloadChecked<Schema, Parsed, Raw = unknown> = Schema extends StandardSchemaV1
  ? unknown
  : [Raw] extends [Parsed]
    ? unknown
    : NeedsSchemaOrParse;
