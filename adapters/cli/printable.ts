/** A text without what would break a line or move the cursor of a terminal: keys come from messages. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}
