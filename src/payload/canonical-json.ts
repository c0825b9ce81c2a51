import { types } from 'node:util';
import { hidesContent, isPlain } from './hidden-content.ts';

/** Thrown for a value that JSON cannot show. The message says what it is. */
export class Incomparable extends Error {}

/**
 * Levels of objects and lists. The stack allows more, but how many depends on the caller, and the limit must not.
 */
const MAX_LEVELS = 500;

/** Where in a payload: the members that lead there, and the objects that it is in. */
export interface Walk {
  readonly path: (string | number)[];
  readonly within: object[];
  /** Places of members that are left out, or null in a list. They are not read. */
  readonly ignored: readonly (readonly string[])[];
}

/**
 * A value as JSON with sorted keys: the order in which an object was built does not matter.
 *
 * Bytes and bigints have forms that no JSON has, and what JSON would hide is refused. Undefined where JSON leaves the
 * value out. When it throws, `walk` has the path.
 */
export function canonicalJson(value: unknown, walk: Walk): string | undefined {
  switch (typeof value) {
    case 'string':
      return ofText(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return String(value);
    case 'undefined':
      return undefined;
    case 'bigint':
      return `${value}n`;
    case 'object':
      return value === null ? 'null' : ofObject(value, walk);
    case 'function':
    case 'symbol':
      throw new Incomparable(`a ${typeof value}`);
  }
}

/** The bytes of a buffer or a view, whatever its type; undefined for anything else. It never throws. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return types.isAnyArrayBuffer(value) ? Buffer.from(value) : undefined;
}

// oxlint-disable-next-line no-control-regex -- these are what JSON escapes
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Without JSON.stringify, where it would only add quotes: it costs three times as much. */
function ofText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function ofObject(value: object, walk: Walk): string | undefined {
  // A Buffer has a toJSON, which would list its bytes as numbers.
  if (ArrayBuffer.isView(value)) return ofMembers(value, walk);
  if (walk.within.includes(value)) throw new Incomparable('part of itself (a cycle)');
  if (walk.within.length === MAX_LEVELS) throw new Incomparable(`nested in more than ${MAX_LEVELS} levels`);
  walk.within.push(value);
  const shown = shownBy(value, walk);
  const isObject = typeof shown === 'object' && shown !== null;
  const json = isObject ? ofMembers(shown, walk) : canonicalJson(shown, walk);
  walk.within.pop();
  return json;
}

/** What an object wants to be in JSON. */
function shownBy(value: { readonly toJSON?: unknown }, { path }: Walk): unknown {
  const { toJSON } = value;
  return typeof toJSON === 'function' ? toJSON.call(value, String(path.at(-1) ?? '')) : value;
}

function ofMembers(value: object, walk: Walk): string {
  if (Array.isArray(value)) return ofList(value, walk);
  if (!isPlain(value)) {
    const bytes = bytesOf(value);
    if (bytes !== undefined) return `bytes"${bytes.toString('base64')}"`;
    if (types.isBoxedPrimitive(value)) return ofBoxed(value, walk);
    if (hidesContent(value)) throw new Incomparable(types.isPromise(value) ? A_PROMISE : SHOWS_TOO_LITTLE);
  }
  const names = sorted(Object.keys(value));
  let json = '';
  let comma = '';
  for (const name of names) {
    walk.path.push(name);
    const member = memberJson(value, name, walk);
    walk.path.pop();
    if (member === undefined) continue;
    json += `${comma}${ofText(name)}:${member}`;
    comma = ',';
  }
  return `{${json}}`;
}

/** Such as `new Number(1)`: the value in it. */
function ofBoxed(value: object, walk: Walk): string {
  return canonicalJson(value.valueOf(), walk) ?? 'null';
}

const A_PROMISE = 'a Promise (an await is missing)';
const SHOWS_TOO_LITTLE =
  'an object whose content JSON does not show (such as a Map, a Set, a Request or an Error)';

function ofList(list: readonly unknown[], walk: Walk): string {
  let json = '';
  for (let index = 0; index < list.length; index += 1) {
    walk.path.push(index);
    if (index > 0) json += ',';
    json += memberJson(list, index, walk) ?? 'null';
    walk.path.pop();
  }
  return `[${json}]`;
}

function memberJson(value: object, name: string | number, walk: Walk): string | undefined {
  if (walk.ignored.length > 0 && isIgnored(walk)) return undefined;
  return canonicalJson((value as Readonly<Record<string | number, unknown>>)[name], walk);
}

function isIgnored({ ignored, path }: Walk): boolean {
  return ignored.some(
    (names) => names.length === path.length && names.every((name, depth) => name === String(path[depth])),
  );
}

/** By insertion, which makes the whole hash of a small object a sixth faster than `sort` does. */
function sorted(names: string[]): string[] {
  if (names.length > 100) return names.sort();
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index] ?? '';
    let at = index;
    for (; at > 0 && (names[at - 1] ?? '') > name; at -= 1) names[at] = names[at - 1] ?? '';
    names[at] = name;
  }
  return names;
}
