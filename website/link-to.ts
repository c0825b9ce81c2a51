/** The path of a page on the site. */
export function linkTo(page: string): string {
  return `/${page.replace(/(?<=^|\/)index\.md$|\.md$/, '')}`;
}
