import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidKeyError } from '../words/errors.ts';
import { InvalidPayloadError, RetryableError } from '../words/handler-errors.ts';
import { isA, isSyntaxError, readable } from '../lib/safe-read.ts';
import { quotesPayload } from './quotes-payload.ts';
import { namesIn } from './schema-names.ts';
import { describeThrown, nameOfThrown } from './stored-error.ts';

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

/**
 * The parser's message is left out: JSON.parse quotes the text that it could not read. That of an `InvalidKeyError` is
 * for the user, and has nothing of the message. A `RetryableError` says nothing of the payload: what the parser needs
 * is not there now.
 */
async function parsePayload(payload: unknown, parse: (payload: never) => unknown): Promise<unknown> {
  try {
    return await parse(payload as never);
  } catch (error) {
    if (isA(error, RetryableError)) throw error;
    const what = isA(error, InvalidKeyError) ? describeThrown(error) : nameOfThrown(error);
    throw new InvalidPayloadError(`the payload could not be parsed (${what})`);
  }
}

/** A schema that breaks says nothing of the payload. A syntax error of a transform quotes the text that it got. */
async function validate(value: unknown, schema: StandardSchemaV1): Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return await schema['~standard'].validate(value);
  } catch (error) {
    if (!isSyntaxError(error)) throw error;
    throw new RetryableError('the schema threw a SyntaxError in place of issues');
  }
}

async function conform(value: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const validated = await validate(value, schema);
  if (validated.issues === undefined) return validated.value;
  const named = namesIn(schema);
  const described = validated.issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, value, named));
  const more = validated.issues.length - described.length;
  throw new InvalidPayloadError(
    `the payload does not fit the schema: ${described.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  );
}

/** Members of a payload can be named by a person's data: names that the schema does not have are left out. */
function describeIssue(issue: StandardSchemaV1.Issue, value: unknown, named: ReadonlySet<string>): string {
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const where = path.map((part) =>
    typeof part === 'number' || named.has(String(part)) ? String(part) : '*',
  );
  const says = messageOf(issue, path, value, named);
  return where.length === 0 ? says : `${where.join('.')}: ${says}`;
}

/** Libraries quote the value that does not fit, and the names of its members. */
function messageOf(
  issue: StandardSchemaV1.Issue,
  path: readonly PropertyKey[],
  value: unknown,
  named: ReadonlySet<string>,
): string {
  if (isUnrecognized(issue)) return 'has members that the schema does not know';
  const unnamed = path.filter((part) => typeof part === 'string' && !named.has(part));
  const quotable = [...unnamed, valueAt(value, path), ...transformed(issue)];
  return quotesPayload(issue.message, quotable, named) ? 'does not fit' : issue.message;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, part) =>
      typeof within === 'object' && within !== null ? readable(within, String(part)) : undefined,
    value,
  );
}

/** The value as a transform before the check made it: valibot and arktype show it. */
function transformed(issue: object): unknown[] {
  return ['input', 'data'].map((name) => readable(issue, name));
}

/** The message of zod quotes the members. */
function isUnrecognized(issue: object): boolean {
  return 'code' in issue && issue.code === 'unrecognized_keys';
}
