import type { StandardSchemaV1 } from '@standard-schema/spec';

/** What a handler gets: the output of the schema, that of `handleOnce` where it has none of its own, or of `parse`. */
export type ParsedPayload<Schema, Parsed, Once = unknown> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : [Once] extends [MadeWithSchema<infer Inherited>]
    ? StandardSchemaV1.InferOutput<Inherited>
    : Awaited<Parsed>;

interface MadeWithSchema<Schema extends StandardSchemaV1> {
  readonly settings: { readonly schema: Schema };
}

/** What the options of a handler lack that asks for a payload which nothing has checked. */
export interface NeedsSchemaOrParse {
  /** Or a `schema`. */
  readonly parse: object;
}

/**
 * What options need beside their own: `parse`, where there is no schema and the handler asks for more than `Raw`, which
 * it gets otherwise. The compiler infers `Parsed` from the handler too.
 */
export type PayloadChecked<Schema, Parsed, Once, Raw = unknown> = Schema extends StandardSchemaV1
  ? unknown
  : [Once] extends [MadeWithSchema<StandardSchemaV1>]
    ? unknown
    : [Raw] extends [Parsed]
      ? unknown
      : NeedsSchemaOrParse;
