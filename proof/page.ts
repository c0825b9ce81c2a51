import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { STEPS } from './steps/index.ts';

const FILE = fileURLToPath(new URL('../docs/evidence/proof.md', import.meta.url));

const INTRODUCTION = `# Figures of the proof

What \`npm run proof\` has found: checks that take too long for CI. [How correctness is checked](correctness.md) says what
they look for. Each section says when it was run, with which versions, and from which seed.`;

/** The sections of the page by title, without their headings. */
function sectionsIn(page: string): Map<string, string> {
  const [, ...sections] = page.split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return [title, lines.join('\n').trim()];
    }),
  );
}

/** Puts a section in its place in docs/evidence/proof.md, and leaves the others as they are. */
export function writeSection(title: string, text: string): void {
  const sections = sectionsIn(existsSync(FILE) ? readFileSync(FILE, 'utf8') : '').set(title, text);
  const written = STEPS.flatMap((step) => {
    const section = sections.get(step.title);
    return section === undefined ? [] : [`## ${step.title}\n\n${section}`];
  });
  writeFileSync(FILE, [INTRODUCTION, ...written].join('\n\n'));
  execFileSync('npx', ['oxfmt', FILE]);
}
