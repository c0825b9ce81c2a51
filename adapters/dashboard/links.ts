/** Pages have one address, that of the mount, and are told apart by its query: so they work wherever it is mounted. */
export type View = 'overview' | 'messages' | 'message' | 'failures' | 'health' | 'retry' | 'audit' | 'action';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of a page, without what is undefined or empty. */
export function linkTo(view: View, query: Query = {}): string {
  const parameters = new URLSearchParams({ view });
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  return `?${parameters.toString()}`;
}

export const STYLE_VIEW = 'style.css';

/** The manual, at the version of this package. */
export function manual(page: string): string {
  return `https://github.com/handle-once/handle-once/blob/main/docs/${page}`;
}
