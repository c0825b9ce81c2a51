/** A text as a shell takes it for one argument: an unquoted `>` would write to a file. */
export function quoted(text: string): string {
  if (/^[\w%+,./:=@-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
