/**
 * Prints what one must know to read the code, as figures: `npm run figures`, or with the folder of another checkout
 * that has its packages installed, to compare.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Arrows, arrowsBetween, arrowsBetweenFiles, fewestArrowsUp, largestCircle } from './folders.ts';
import { exportedNames, exportsOf, packageOf } from './names.ts';
import { codeLines, smallFilesOfOneImporter } from './size.ts';
import { isTestKit, sourcesIn } from './sources.ts';
import { tripsIn } from './trips.ts';

const MOST_LINES = 40;

const root = resolve(process.argv[2] ?? '.');
const sources = ['src', 'adapters'].flatMap((folder) => sourcesIn(root, folder));
const product = sources.filter((source) => !isTestKit(source));

function row(what: string, ...figures: (number | string)[]): void {
  console.log(`| ${what} | ${figures.join(' / ')} |`);
}

function circleOf(arrows: Arrows): string {
  return `${largestCircle(arrows).length} of ${arrows.size}`;
}

function folderRow(folder: string): void {
  const arrows = arrowsBetween(folder, sourcesIn(root, folder));
  const all = [...arrows.values()].reduce((sum, targets) => sum + targets.size, 0);
  const up = `${fewestArrowsUp(arrows)} of ${all}`;
  row(`\`${folder}\`: folders in the largest import circle / arrows up at the least`, circleOf(arrows), up);
}

console.log('| | |\n|---|---|');
const simulation = sourcesIn(root, '.').filter(({ path }) => /^(proof\/)?simulation\//.test(path));
folderRow('src');
folderRow('adapters/kafka');
row('simulation: files in the largest import circle', circleOf(arrowsBetweenFiles(simulation)));
for (const [surface, { functions, files, frames }] of await tripsIn(root)) {
  row(`${surface}: functions / files / own frames at the handler`, functions, files, frames);
}
row(
  'code lines of src and adapters, without test kits',
  product.reduce((sum, source) => sum + codeLines(source), 0),
);
const { entries, options } = packageOf(root);
const published = exportsOf(root, [...entries.values()], options);
row('names exported inside', exportedNames(sources).size);
row('published values / types', published.values, published.types);
const kit = exportsOf(root, ['src/adapter-kit.ts'], options);
row('names that src gives adapters', kit.values + kit.types);
row(
  `files of at most ${MOST_LINES} code lines with one importer / files`,
  smallFilesOfOneImporter(sources, MOST_LINES).length,
  sources.length,
);
const tracked = execFileSync('git', ['ls-tree', '-d', '--name-only', 'HEAD'], {
  cwd: root,
  encoding: 'utf8',
});
row('root folders', tracked.split('\n').filter((name) => /^[^.]/.test(name)).length);
process.exit(0);
