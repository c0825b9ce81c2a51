import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidPayloadError } from './handler-errors.ts';
import { toStoredError } from './stored-error.ts';

const MAX_ISSUES = 10;

/** Turns a payload as delivered into the value that the handler gets. Throws `InvalidPayloadError`. */
export async function validatePayload(
  payload: unknown,
  parse: ((payload: never) => unknown) | undefined,
  schema: StandardSchemaV1 | undefined,
): Promise<unknown> {
  const parsed = parse === undefined ? payload : await parsePayload(payload, parse);
  return schema === undefined ? parsed : await conform(parsed, schema);
}

/** The parser's message is left out: JSON.parse quotes the text that it could not read. */
async function parsePayload(payload: unknown, parse: (payload: never) => unknown): Promise<unknown> {
  try {
    return await parse(payload as never);
  } catch (error) {
    throw new InvalidPayloadError(`the payload could not be parsed (${toStoredError(error, 0).name})`);
  }
}

async function conform(value: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const validated = await schema['~standard'].validate(value);
  if (validated.issues === undefined) return validated.value;
  const described = validated.issues.slice(0, MAX_ISSUES).map(describeIssue);
  const more = validated.issues.length - described.length;
  throw new InvalidPayloadError(
    `the payload does not fit the schema: ${described.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  );
}

function describeIssue({ path, message }: StandardSchemaV1.Issue): string {
  const where = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return where === '' ? message : `${where}: ${message}`;
}
