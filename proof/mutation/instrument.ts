import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export interface Mutant {
  readonly id: string;
  /** The same after a change elsewhere in its file. */
  readonly key: string;
  /** Where it is, and what the code becomes. */
  readonly text: string;
}

/** The code of a slice with all its mutants: which of them is active is decided when it runs. */
interface Instrumented {
  readonly code: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant[];
}

type Found = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number];

const nothing = (): undefined => undefined;
const no = (): boolean => false;
const SILENT = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no },
  ...{ isWarnEnabled: no, isErrorEnabled: no, isFatalEnabled: no },
  ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing },
};
// The compiler knows the texts that code compares; the others are for people.
const OPTIONS = { excludedMutations: ['StringLiteral'], ignorers: [], plugins: null };

export async function instrument(paths: readonly string[]): Promise<Instrumented> {
  const files = paths.map((path) => ({
    name: resolve(path),
    content: readFileSync(path, 'utf8'),
    mutate: true,
  }));
  const lines = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  const { files: mutated, mutants } = await new Instrumenter(SILENT).instrument(files, OPTIONS);
  return {
    code: Object.fromEntries(mutated.map(({ name, content }) => [name, content])),
    mutants: withKeys(
      mutants
        .filter(({ status }) => status === undefined)
        .map((mutant) => describe(mutant, lines.get(mutant.fileName) ?? [])),
    ),
  };
}

function describe({ id, fileName, location: { start, end }, replacement }: Found, lines: readonly string[]) {
  const file = relative('', fileName);
  const line = lines[start.line] ?? '';
  const from = line.slice(start.column, start.line === end.line ? end.column : undefined);
  const to = replacement.replaceAll(/\s+/g, ' ');
  return {
    id,
    alike: [file, line.trim(), from, to].join('|'),
    text: `${file}:${start.line + 1}: ${from} => ${to}`,
  };
}

function withKeys(mutants: readonly ReturnType<typeof describe>[]): Mutant[] {
  const seen = new Map<string, number>();
  return mutants.map(({ id, alike, text }) => {
    const before = seen.get(alike) ?? 0;
    seen.set(alike, before + 1);
    return { id, key: `${alike}|${before}`, text };
  });
}
