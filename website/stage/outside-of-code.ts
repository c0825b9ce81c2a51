/** Changes a page where it is no example. */
export function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^ *```.*?^ *```$)/ms)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
