import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** A diagram, and the picture that is made of it. */
export interface Diagram {
  readonly name: string;
  readonly source: string;
  readonly picture: string;
}

export function diagrams(): Diagram[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.mmd'))
    .map((file) => file.slice(0, -'.mmd'.length))
    .map((name) => ({ name, source: `${FOLDER}${name}.mmd`, picture: `${FOLDER}${name}.svg` }));
}
