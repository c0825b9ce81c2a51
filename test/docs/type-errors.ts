import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/source-files.ts';
import { outputOf } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/services/temporary-directory.ts';
import type { Snippet } from './snippets.ts';

const PRELUDE = ['prelude', 'confluent', 'platformatic', 'stripe'].map((name) =>
  join(root, `test/docs/${name}.d.ts`),
);
const COMPILER = join(root, 'node_modules/typescript-7/bin/tsc');
/** As the compiler prints it: further lines are indented. */
const ERROR = /^(\S+\.ts)\(.*?\): error TS\d+: (.*(?:\n .*)*)/gm;
/** The first line of an example that others import. */
const NAME = /^\/\/ (\w+\.ts)$/m;

/** Compiles examples under the project's own strict options. Returns what the compiler says, by example. */
export async function typeErrors(
  snippets: readonly (Snippet & { readonly imports?: string })[],
  imports = '',
): Promise<string[]> {
  const folder = temporaryDirectory('handle-once-examples-');
  try {
    symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
    copyFileSync(join(root, 'examples/old-key-first.ts'), join(folder.path, 'old-key-first.ts'));
    writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }');
    const places = new Map(
      snippets.map(({ where, code, imports: own = imports }, index) => {
        const file = NAME.exec(code)?.[1] ?? `example-${index}.ts`;
        writeFileSync(join(folder.path, file), withImports(code, own));
        return [file, where];
      }),
    );
    const project = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false },
      files: [...PRELUDE, ...places.keys()],
      include: [],
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(project));
    const printed = await outputOf(process.execPath, [COMPILER, '--pretty', 'false'], {
      cwd: folder.path,
      codes: [0, 1, 2],
    });
    // What they import is checked with the project.
    return [...printed.matchAll(ERROR)].flatMap(([, file = '', message]) =>
      places.has(file) ? `${places.get(file)}: ${message}` : [],
    );
  } finally {
    folder.remove();
  }
}

/** An example that shows no imports gets those of the package's own names. */
function withImports(code: string, imports: string): string {
  return /^import /m.test(code) ? `${code}\nexport {};` : `${imports}\n${code}\nexport {};`;
}
