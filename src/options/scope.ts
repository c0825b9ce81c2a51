import { InvalidOptionsError, type OptionIssue } from '../words/errors.ts';
import { keyFault } from './key.ts';

/**
 * A scope is what the user wrote, and for each thing derived from it `>kind:name`: `billing>kafka:workers`.
 *
 * What users write has no `>`, and names are percent-encoded, which leaves neither `>` nor `:` in them. So no two
 * scopes, kinds and names make the same text, whatever they are.
 */
const SEPARATOR = '>';

export const scopeKinds = ['http', 'kafka', 'webhook', 'tenant'] as const;

/** A scope below another. Another kind or name gives another scope. */
export interface DerivedScope {
  /**
   * `'http'` for a method and route, `'kafka'` for a consumer group, `'webhook'` for a sender: the adapters use these.
   * `'tenant'` is for you.
   */
  readonly kind: (typeof scopeKinds)[number];
  /** Any text, such as the group's id. */
  readonly name: string;
}

/** The longest scope in UTF-8 bytes: with it, every valid key still fits an index entry of Postgres (2,704 bytes). */
const MAX_SCOPE_BYTES = 1_024;

/** What is wrong with a scope that a user wrote, or undefined. */
export function scopeFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.includes(SEPARATOR)) return storedScopeFault(value);
  return `must not contain '${SEPARATOR}', which separates the parts of derived scopes; use inScope({ kind, name })`;
}

/** What is wrong with a scope as it is on record, or undefined. */
export function storedScopeFault(value: unknown): string | undefined {
  const fault = keyFault(value);
  if (fault !== undefined || typeof value !== 'string') return fault;
  const bytes = Buffer.byteLength(value);
  return bytes > MAX_SCOPE_BYTES ? `must be at most ${MAX_SCOPE_BYTES} UTF-8 bytes, got ${bytes}` : undefined;
}

/** The text of a scope that is derived from another, which may be a derived one itself. */
export function derivedScope(scope: string, { kind, name }: DerivedScope): string {
  return `${scope}${SEPARATOR}${kind}:${encodeURIComponent(name)}`;
}

/** Whether a scope was derived from another as one of this kind. */
export function isOfKind(scope: string, kind: DerivedScope['kind']): boolean {
  return scope.slice(scope.lastIndexOf(SEPARATOR)).startsWith(`${SEPARATOR}${kind}:`);
}

/** The name in a scope that was derived as one of this kind. Undefined in any other, and where it has none. */
export function nameOfKind(scope: string, kind: DerivedScope['kind']): string | undefined {
  if (!isOfKind(scope, kind)) return undefined;
  const name = scope.slice(scope.lastIndexOf(SEPARATOR) + `${SEPARATOR}${kind}:`.length);
  try {
    return name === '' ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** What is wrong with the name of a derived scope, or undefined. */
export function derivedScopeFault(scope: string, derived: DerivedScope): string | undefined {
  const name: unknown = derived.name;
  if (typeof name !== 'string' || name === '' || !name.isWellFormed()) return keyFault(name);
  const fault = storedScopeFault(derivedScope(scope, derived));
  if (fault === undefined) return undefined;
  return (
    'makes a scope that is not valid: the scope of handleOnce, ' +
    `${SEPARATOR}${derived.kind}: and the percent-encoded name ${fault}`
  );
}

/** The scope that `inScope` enters. Throws `InvalidOptionsError`. */
export function enteredScope(present: string, scope: string | DerivedScope): string {
  const issue =
    typeof scope === 'object' ? issueOfDerived(present, scope) : issueOf('scope', scopeFault(scope));
  if (issue !== undefined) throw new InvalidOptionsError('inScope', [issue]);
  return typeof scope === 'object' ? derivedScope(present, scope) : scope;
}

function issueOfDerived(present: string, derived: DerivedScope | null): OptionIssue | undefined {
  if (derived === null || Array.isArray(derived)) return issueOf('scope', scopeFault(derived));
  if (!scopeKinds.includes(derived.kind)) {
    return issueOf('scope.kind', "must be 'http', 'kafka', 'webhook' or 'tenant'");
  }
  return issueOf('scope.name', derivedScopeFault(present, derived));
}

function issueOf(field: string, message: string | undefined): OptionIssue | undefined {
  return message === undefined ? undefined : { field, message };
}
