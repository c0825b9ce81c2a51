import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { beginProgram, PROGRAM, programOf } from '../../support/program.ts';

const OWN_URL = 'import.meta.url';
const PROGRAM_BESIDE = /new URL\('([\w-]+\.ts)', import\.meta\.url\)/g;

/** The demo as one file, and each worker that it starts as one file of its own. */
export async function demoProgram(): Promise<string> {
  const { outfile, finish } = beginProgram('demo');
  await build({ ...PROGRAM, entryPoints: ['examples/demo/main.ts'], outfile, plugins: [withPlaces] });
  return finish();
}

/** What a source names by its own place is found from the bundle too. */
const withPlaces: Plugin = {
  name: 'with places',
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes(OWN_URL)) return undefined;
      const contents = text
        .replaceAll(
          PROGRAM_BESIDE,
          (_, name: string) => `new URL(${urlOf(programOf(resolve(dirname(path), name)))})`,
        )
        .replaceAll(OWN_URL, urlOf(path));
      return { contents, loader: 'ts' };
    });
  },
};

function urlOf(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}
