import * as z from 'zod';
import { DEFAULT_SCHEMA, SCHEMA_NAME, SCHEMA_NAME_RULE } from '../store/postgres/identifier.ts';

export const schemaName = z
  .string({ error: SCHEMA_NAME_RULE })
  .regex(SCHEMA_NAME, { error: SCHEMA_NAME_RULE });

export const schemaOption = schemaName.default(DEFAULT_SCHEMA);
