import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { filesIn, root } from './source-files.ts';

/** What the simulation runs: it takes time and chance from the clock that it is handed. */
const SIMULATED = [
  'src/adapter',
  'src/api',
  'src/engine',
  'src/lib',
  'src/options',
  'src/payload',
  'src/store',
  'src/words',
].concat(
  ['adapters/shared', 'adapters/sqs', 'adapters/kafka'],
  ['adapters/lambda', 'adapters/webhook', 'adapters/http'],
);

/** Where they come from, and what the simulation does not run yet. */
const EXCEPT = [
  'src/lib/clock.ts',
  'src/lib/worker-id.ts',
  'src/store/postgres/',
  'adapters/http/node/',
  'adapters/http/fetch-body.ts',
  'adapters/kafka/log/ask-admin.ts',
  'adapters/kafka/redrive/',
];

const CALLS = new Set(
  [
    'performance.now',
    'Date.now',
    'Math.random',
    'AbortSignal.timeout',
    'process.hrtime',
    'process.nextTick',
  ].concat(
    ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
    ['randomUUID', 'randomBytes', 'crypto.randomUUID'],
  ),
);
const MODULES = new Set(['node:timers', 'node:timers/promises']);

/** The places of a source that read a clock, set a timer or draw lots by themselves. */
function placesIn(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const places: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isOwnTime(node, source)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      places.push(`${name}:${line + 1}: ${node.getText(source).split('\n')[0]}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return places;
}

function isOwnTime(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isImportDeclaration(node)) return MODULES.has((node.moduleSpecifier as ts.StringLiteral).text);
  if (ts.isPropertyAccessExpression(node)) return CALLS.has(node.getText(source));
  if (ts.isCallExpression(node)) return CALLS.has(node.expression.getText(source));
  if (ts.isNewExpression(node)) return node.expression.getText(source) === 'Date' && !node.arguments?.length;
  return false;
}

it('what is simulated has no time, timers or chance of its own', () => {
  const files = SIMULATED.flatMap(filesIn).filter((file) => !EXCEPT.some((path) => file.startsWith(path)));
  expect(files.length).toBeGreaterThan(80);
  expect(files.flatMap((file) => placesIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

it('finds each way to have them', () => {
  const found = [
    'const a = performance.now();',
    'const b = new Date();',
    'const c = Date.now;',
    'setTimeout(run, 5);',
    'const d = Math.random();',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    'const e = randomUUID();',
    'const f = AbortSignal.timeout(5);',
  ];
  for (const line of found) expect(placesIn('a.ts', line), line).not.toEqual([]);
  const allowed = ['const a = new Date(clock.wall());', '// setTimeout(run, 5);', 'clock.setTimer(run, 5);'];
  for (const line of allowed) expect(placesIn('a.ts', line), line).toEqual([]);
});
