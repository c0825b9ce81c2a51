import { posix } from 'node:path';
import { namesOf, renderDiagram } from '../diagrams/render.ts';

/** A page, and the files beside it that its diagrams have become. */
export interface Illustrated {
  readonly text: string;
  readonly pictures: ReadonlyMap<string, string>;
}

/** The page with its blocks of Mermaid as pictures. */
export function illustrated(text: string, page: string): Illustrated {
  const pictures = new Map<string, string>();
  const changed = text.replaceAll(/^```mermaid\n(.*?)^```$/gms, (_, source: string) => {
    const picture = `${posix.basename(page, '.md')}-${pictures.size + 1}.svg`;
    pictures.set(picture, renderDiagram(source));
    return `![${namesOf(source).title}](./${picture})`;
  });
  return { text: changed, pictures };
}
