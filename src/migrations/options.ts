import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { DEFAULT_SCHEMA, SCHEMA_NAME, SCHEMA_NAME_RULE } from '../postgres/identifier.ts';

export const schemaName = lazily(() =>
  z.string({ error: SCHEMA_NAME_RULE }).check(z.regex(SCHEMA_NAME, { error: SCHEMA_NAME_RULE })),
);

export const schemaOption = lazily(() => z._default(schemaName(), DEFAULT_SCHEMA));
