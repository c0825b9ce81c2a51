const MANY_DIGITS = /\d[\d.]{15}/;
/** An escape, the begin or end of a text, or a number. One by one: a long text as a whole overflows the stack. */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON with each number that a double would round as a text of its digits, after a character that no number has.
 * Throws what JSON.parse throws.
 */
export function parseExactly(text: string): unknown {
  const document: unknown = JSON.parse(text);
  return MANY_DIGITS.test(text) ? JSON.parse(withDigitsAsText(text)) : document;
}

function withDigitsAsText(text: string): string {
  let isInText = false;
  return text.replaceAll(TOKEN, (token) => {
    if (token === '"') isInText = !isInText;
    return !isInText && isRounded(token) ? `"\\u0000${token}"` : token;
  });
}

function isRounded(token: string): boolean {
  return MANY_DIGITS.test(token) && String(Number(token)) !== token;
}
