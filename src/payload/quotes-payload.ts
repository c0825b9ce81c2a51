import { isPlain } from './hidden-content.ts';

const MAX_PARTS = 1_000;

/**
 * Whether a message has a text of these values: a string, a number, or a member's name that is not `known`.
 *
 * True where that cannot be known: of values that are too large, are no plain data, or cannot be read.
 */
export function quotesPayload(
  message: string,
  values: readonly unknown[],
  known: ReadonlySet<string>,
): boolean {
  try {
    const said = message.toLowerCase();
    return partsOf(values, known)?.some((part) => isSaid(part, said)) ?? true;
  } catch {
    return true;
  }
}

/** The values and all that is in them; undefined where that is too much, or no plain data. */
function partsOf(values: readonly unknown[], known: ReadonlySet<string>): unknown[] | undefined {
  const parts = new Set(values);
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue;
    if (!Array.isArray(part) && !isPlain(part)) return undefined;
    for (const [name, member] of Object.entries(part)) {
      if (!Array.isArray(part) && !known.has(name)) parts.add(name);
      parts.add(member);
      if (parts.size > MAX_PARTS) return undefined;
    }
  }
  return [...parts];
}

/** As it is, or as JSON escapes it. */
function isSaid(part: unknown, said: string): boolean {
  if (typeof part !== 'string' && typeof part !== 'number' && typeof part !== 'bigint') return false;
  const text = String(part).trim().toLowerCase();
  if (text === '' || text.length > said.length) return false;
  return said.includes(text) || said.includes(JSON.stringify(text).slice(1, -1));
}
