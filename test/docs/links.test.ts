import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../architecture/source-files.ts';

/** The files of the package as npm packs it. */
function packed(): Set<string> {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const packages = JSON.parse(json) as { files: { path: string }[] }[];
  return new Set(packages.flatMap(({ files }) => files.map(({ path }) => path)));
}

test('every file that the packed documents link to is packed too', () => {
  const files = packed();
  const documents = [...files].filter((path) => path.endsWith('.md'));
  expect(documents).toContain('docs/attempts.md');
  const dead = documents.flatMap((document) => {
    const links = readFileSync(join(root, document), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    const targets = Array.from(links, ([, target = '']) => join(dirname(document), target));
    return targets.filter((target) => !files.has(target)).map((target) => `${document}: ${target}`);
  });
  expect(dead).toEqual([]);
});
