import type { StandardSchemaV1 } from '@standard-schema/spec';

/** What a handler gets: the schema's output, or else what `parse` returns. */
export type ParsedPayload<Schema, Parsed> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Awaited<Parsed>;
