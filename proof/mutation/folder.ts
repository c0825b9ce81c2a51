import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mutant, and the tests that reach it. */
export interface Trial {
  readonly id: string;
  readonly tests: readonly string[];
  /** A mutant that is reached more often is in a loop without end. */
  readonly hitLimit: number;
}

type Hits = Readonly<Record<string, number>>;

export interface Coverage {
  /** How often each mutant is reached outside of tests. */
  readonly static: Hits;
  readonly perTest: Readonly<Record<string, Hits>>;
  /** Tests that fail without a mutant. */
  readonly red: readonly string[];
}

/** A mutant whose trial began, or ended. */
export interface Line {
  readonly id: string;
  readonly outcome?: string;
}

interface Files {
  /** The mutated code of each path. */
  readonly code: Readonly<Record<string, string>>;
  readonly testFiles: readonly string[];
  readonly coverage: Coverage;
  readonly trials: readonly Trial[];
  /** What became of each mutant, by its key. */
  readonly known: Readonly<Record<string, string>>;
}

/** Where what is known of a slice is kept, and through which the processes of a run talk with one another. */
export class Folder {
  readonly path: string;
  readonly logPath: string;

  constructor(path: string) {
    this.path = path;
    this.logPath = join(path, 'log');
    mkdirSync(path, { recursive: true });
  }

  read<Name extends keyof Files>(name: Name, absent?: Files[Name]): Files[Name] {
    const path = this.#pathOf(name);
    if (absent !== undefined && !existsSync(path)) return absent;
    return JSON.parse(readFileSync(path, 'utf8')) as Files[Name];
  }

  write<Name extends keyof Files>(name: Name, content: Files[Name]): void {
    writeFileSync(this.#pathOf(name), JSON.stringify(content));
  }

  log(line: Line): void {
    appendFileSync(this.logPath, `${JSON.stringify(line)}\n`);
  }

  logged(): Line[] {
    const lines = readFileSync(this.logPath, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Line);
  }

  #pathOf(name: string): string {
    return join(this.path, `${name}.json`);
  }
}

/** In a process that runs tests. */
export function givenFolder(): Folder {
  return new Folder(process.env['MUTATION_FOLDER'] ?? '');
}
