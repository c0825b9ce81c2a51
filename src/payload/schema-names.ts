import { readable, readableKeys } from '../lib/safe-read.ts';

/** Where schemas keep their members by name: those of zod and valibot. */
const MEMBERS = ['shape', 'entries'];
/** A schema can refer to itself, and to all of its library. */
const MAX_PARTS = 5_000;

const known = new WeakMap<object, ReadonlySet<string>>();

/** The names of members that a schema itself has, wherever in it; none for a schema that does not show them. */
export function namesIn(schema: object): ReadonlySet<string> {
  const names = known.get(schema) ?? findNames(schema);
  known.set(schema, names);
  return names;
}

function findNames(schema: object): Set<string> {
  const names = new Set<string>();
  const parts = new Set([schema]);
  for (const part of parts) {
    for (const members of MEMBERS.map((name) => readable(part, name)).filter(isPart)) {
      for (const name of readableKeys(members)) names.add(name);
      addParts(parts, members);
    }
    addParts(parts, part);
  }
  return names;
}

function addParts(parts: Set<object>, of: object): void {
  for (const name of readableKeys(of)) {
    const part = readable(of, name);
    if (isPart(part) && parts.size < MAX_PARTS) parts.add(part);
  }
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
