/**
 * Controls (C0 and C1), ends of lines, and marks that change the direction of a text: they break a line, move the
 * cursor of a terminal, or make a text look like another.
 */
const HARMFUL = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text with harmful characters as escapes: keys come from messages. */
export function printable(text: string): string {
  return text.replaceAll(HARMFUL, escaped);
}

/** As in JSON, which leaves most of them as they are. */
function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json;
}
