import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { programs } from './programs.ts';
import { published } from './published.ts';
import { packagesLoadedBy } from './static-imports.ts';
import { tableUnder, textOf } from '../docs/documents.ts';
import { manifest } from '../support/manifest.ts';

/** How far a bundle may be above what the docs say of it. */
const TOLERANCE = 1.1;

const stated = new Map(
  tableUnder(textOf('docs/evidence/benchmarks/README.md'), 'What a bundle weighs').map(
    ([name = '', minified = '']) => [name.replaceAll('`', ''), Number(minified) * 1_000],
  ),
);

let folder: string;

beforeAll(async () => {
  folder = await published();
});

it('docs/evidence/benchmarks/README.md has a row for each subpath that runs in production', () => {
  const subpaths = Object.keys(manifest.exports)
    .filter((subpath) => !/package\.json|dashboard|store|testing|contracts|nestjs/.test(subpath))
    .map((subpath) => manifest.name + subpath.slice('.'.length));
  expect([...stated.keys()]).toEqual(Object.keys(programs));
  expect([...stated.keys()]).toEqual(expect.arrayContaining(subpaths));
});

it.each(Object.entries(programs))(
  '%s weighs at most a tenth more than docs/evidence/benchmarks/README.md says',
  async (name, program) => {
    const { bytes } = await bundle(program, folder);
    expect(bytes).toBeLessThanOrEqual((stated.get(name) ?? 0) * TOLERANCE);
  },
);

it('the core builds no schema while it loads, and a few once it is asked for a handleOnce', async () => {
  const count = 'let built = 0; globalThis.__zod_globalConfig = { postProcessor: () => { built += 1; } };';
  const { code } = await bundle(
    `
    import { createHandleOnce } from 'handle-once';
    import * as lambda from 'handle-once/lambda';
    import * as webhook from 'handle-once/webhook';
    import * as operations from 'handle-once/operations';
    globalThis.loaded = [lambda, webhook, operations];
    const afterLoading = built;
    createHandleOnce({ sql: { unsafe() {}, begin() {} }, scope: 'billing' });
    process.stdout.write(JSON.stringify({ afterLoading, hasBuilt: built > afterLoading }));
  `,
    folder,
  );
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-'], {
    input: `${count}\n${code}`,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual({ afterLoading: 0, hasBuilt: true });
});

const CLIENTS_LOADED: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['hono'],
  nestjs: ['@nestjs/common', '@nestjs/core'],
  otel: ['@opentelemetry/api'],
  sqs: ['@aws-sdk/client-sqs'],
};

it.each(['cli', ...Object.keys(manifest.exports).flatMap(fileOf)])(
  '%s.js loads none of the clients that are the choice of the user, but its own',
  async (name) => {
    const loaded = await packagesLoadedBy(`${name}.js`, folder);
    expect(loaded.filter((found) => !(found in manifest.dependencies))).toEqual(CLIENTS_LOADED[name] ?? []);
  },
);

function fileOf(subpath: string): string[] {
  if (subpath === './package.json') return [];
  return [subpath === '.' ? 'index' : subpath.slice('./'.length)];
}
