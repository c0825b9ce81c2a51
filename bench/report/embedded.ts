/**
 * Puts a text between two comments of a page, `<!-- bench NAME -->` and `<!-- /bench -->`, in place of what is there.
 */
export function embedded(page: string, name: string, text: string): string {
  const begin = `<!-- bench ${name} -->`;
  const [before = '', ...rest] = page.split(begin);
  const after = rest.join(begin);
  const end = after.indexOf(END);
  if (end === -1) throw new Error(`the page has no ${begin} with ${END} behind it`);
  return `${before}${begin}\n\n${text}\n\n${after.slice(end)}`;
}

const END = '<!-- /bench -->';
