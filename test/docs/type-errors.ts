import { symlinkSync, writeFileSync } from 'node:fs';
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
const ERROR = /^example-(\d+)\.mts\(.*?\): error TS\d+: (.*(?:\n .*)*)/gm;

/** Compiles examples under the project's own strict options. Returns what the compiler says, by example. */
export async function typeErrors(
  snippets: readonly (Snippet & { readonly imports?: string })[],
  imports = '',
): Promise<string[]> {
  const folder = temporaryDirectory('handle-once-examples-');
  try {
    symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
    const files = snippets.map(({ code, imports: own = imports }, index) => {
      writeFileSync(join(folder.path, `example-${index}.mts`), withImports(code, own));
      return `example-${index}.mts`;
    });
    const project = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false },
      files: [...PRELUDE, ...files],
      include: [],
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(project));
    const printed = await outputOf(process.execPath, [COMPILER, '--pretty', 'false'], {
      cwd: folder.path,
      codes: [0, 1, 2],
    });
    // What they import is checked with the project.
    return [...printed.matchAll(ERROR)].map(
      ([, index, message]) => `${snippets[Number(index)]?.where ?? ''}: ${message ?? ''}`,
    );
  } finally {
    folder.remove();
  }
}

/** An example that shows no imports gets those of the package's own names. */
function withImports(code: string, imports: string): string {
  return code.startsWith('import ') ? `${code}\nexport {};` : `${imports}\n${code}\nexport {};`;
}
