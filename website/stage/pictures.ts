import { posix } from 'node:path';
import { namesOf, renderDiagram, widthOf, WIDEST_ON_PHONE } from '../diagrams/render.ts';

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
    const svg = renderDiagram(source);
    pictures.set(picture, svg);
    return shown(`![${namesOf(source).title}](./${picture})`, svg);
  });
  return { text: changed, pictures };
}

/** A picture that a phone would make too small scrolls. */
function shown(image: string, svg: string): string {
  if (widthOf(svg) <= WIDEST_ON_PHONE) return image;
  return `<div class="wide" tabindex="0">\n\n${image}\n\n</div>`;
}
