/** The pages that are looked at: all of the manual, the evidence and the project, and of the API one of each kind. */
export function pagesToLookAt(built: readonly string[]): string[] {
  const isListed = (page: string) => !page.startsWith('api/') && !page.startsWith('docs/evidence/decisions/');
  return [...built.filter(isListed), ...oneOfEachKind(built.filter((page) => !isListed(page)))];
}

/** Of the API an interface alone: its page has every element that the others have. */
export function sampleOf(pages: readonly string[]): string[] {
  return oneOfEachKind(pages.filter((page) => !page.startsWith('api/') || page.includes('/interfaces/')));
}

function oneOfEachKind(pages: readonly string[]): string[] {
  return [...new Map(pages.map((page) => [kindOf(page), page])).values()];
}

/** Pages of one folder look the same, and so do the indexes of folders. */
function kindOf(page: string): string {
  const [name = '', folder = ''] = page.split('/').toReversed();
  return name === 'index.html' ? `index of ${folder === '' ? 'the site' : 'a folder'}` : folder;
}
