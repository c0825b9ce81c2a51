/** Programs that rows start. The rest of a command are its arguments. */
export type Tool = 'node' | 'node18' | 'node22' | 'node24' | 'bun' | 'deno';

/** One way to load the package. */
export interface Row {
  /** As docs/limits.md names it. */
  readonly name: string;
  /** Needs nothing beyond the project's own packages. The quickstart's test loads the package by `import`. */
  readonly isQuick?: true;
  readonly tool: Tool;
  readonly args: readonly string[];
  /** Of the projects. Default: that of all. */
  readonly folder?: string;
  /** What it ends with in place of success. */
  readonly refusal?: RegExp;
}

const bin = (path: string) => `../node_modules/${path}`;

/** Compiles imports of every subpath. */
function compiled(name: string, module: string, resolution: string, file: string): Row {
  const settings = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--types', 'node'];
  return {
    name,
    tool: 'node',
    folder: 'typescript',
    args: [
      bin('typescript/bin/tsc'),
      ...settings,
      ...['--module', module, '--moduleResolution', resolution, file],
    ],
  };
}

/** Runs the core and `inTransaction`. */
function ran(name: string, tool: Tool, ...args: string[]): Row {
  return { name, tool, args };
}

export const rows: readonly Row[] = [
  ran('Node 20, `import`', 'node', 'program.mjs'),
  { ...ran('Node 20, `require()`', 'node', 'program.cjs'), isQuick: true },
  ran('Node 22, `import`', 'node22', 'program.mjs'),
  ran('Node 22, `require()`', 'node22', 'program.cjs'),
  ran('Node 24, `import`', 'node24', 'program.mjs'),
  ran('Node 24, `require()`', 'node24', 'program.cjs'),
  {
    ...ran('Node 18', 'node18', 'program.mjs'),
    refusal: /^Error: handle-once needs Node 20\.19 or newer, and this is Node 18\./m,
  },
  ran('Bun', 'bun', 'program.mjs'),
  ran('Deno', 'deno', 'run', '--allow-all', '--node-modules-dir=manual', 'program.mjs'),
  compiled('`node10`', 'commonjs', 'node10', 'subpaths.ts'),
  compiled('`node16`', 'node16', 'node16', 'subpaths.mts'),
  compiled('`nodenext`', 'nodenext', 'nodenext', 'subpaths.mts'),
  compiled('`nodenext`, from CommonJS', 'nodenext', 'nodenext', 'subpaths.cts'),
  compiled('`bundler`', 'preserve', 'bundler', 'subpaths.ts'),
  { name: 'ts-node', tool: 'node', folder: 'ts-node', args: [bin('ts-node/dist/bin.js'), 'program.ts'] },
  { name: 'tsx', tool: 'node', folder: 'tsx', args: [bin('tsx/dist/cli.mjs'), 'program.mts'] },
  {
    name: 'vitest',
    tool: 'node',
    folder: 'vitest',
    args: [bin('vitest/vitest.mjs'), 'run', '--root', '.'],
  },
  {
    name: 'Jest, as ECMAScript modules',
    tool: 'node',
    folder: 'jest-esm',
    args: ['--experimental-vm-modules', bin('jest/bin/jest.js')],
  },
  {
    name: 'Jest, compiled to CommonJS',
    tool: 'node',
    folder: 'jest-cjs',
    args: [bin('jest/bin/jest.js')],
  },
];
