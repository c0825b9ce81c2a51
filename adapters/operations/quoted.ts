/** A text as a shell takes it for one argument: an unquoted `>` would write to a file. */
export function quoted(text: string): string {
  if (/^[\w%+,./:=@-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? inSingleQuotes(text) : `"${text}"`;
}

/** The same, whatever is in it. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
