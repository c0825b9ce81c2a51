const WIDTH = 95;

/** A paragraph's lines. */
export function wrap(text: string): string[] {
  return text.split(' ').reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) return [...lines, word];
    return [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}
