import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { largestCircle } from './figures/folders.ts';
import { floorOf, FLOORS, mayImport, placeOf } from './floors.ts';
import { filesIn, type Import, importsOf, loadedBy, packageOf, root } from './source-files.ts';

interface Package {
  readonly name: string;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly exports: Record<string, string | { types: string; default: string }>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
const brokers = /^(kafkajs|@aws-sdk\/|@smithy\/|@confluentinc\/|@platformatic\/|amqplib)/;
const dependencies = new Set(Object.keys(manifest.dependencies));
const peers = new Set(Object.keys(manifest.peerDependencies));

function importsIn(folder: string): Import[] {
  return filesIn(folder).flatMap(importsOf);
}

function isBuiltinOr(packages: Set<string>, { to }: Import): boolean {
  return to.startsWith('node:') || packages.has(packageOf(to));
}

describe('src', () => {
  const imports = importsIn('src');

  it('imports its own files only: no adapter, no example, no test', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.filter(({ to, relative }) => relative && !to.startsWith('src/'))).toEqual([]);
  });

  it('imports no package but its dependencies and the postgres client: no broker', () => {
    const allowed = new Set([...dependencies, 'postgres']);
    const packages = imports.filter(({ relative }) => !relative);
    expect(packages.filter((imported) => !isBuiltinOr(allowed, imported))).toEqual([]);
    expect(packages.filter(({ to }) => brokers.test(to))).toEqual([]);
  });
});

describe('adapters', () => {
  const imports = importsIn('adapters');
  const faces = new Set(['src/index.ts', 'src/adapter-kit.ts']);

  it('of brokers import of src its two faces, and those of operators whatever they need', () => {
    expect(imports.length).toBeGreaterThan(0);
    const strays = imports.filter(
      ({ from, to }) =>
        to.startsWith('src/') && !/^adapters\/(?:operations|dashboard)\//.test(from) && !faces.has(to),
    );
    expect(strays).toEqual([]);
  });

  it('never import one another, but what two of one broker share, and what is published', () => {
    const adapterOf = (file: string) => file.split('/')[1] ?? '';
    const strays = imports.filter(({ from, to, relative }) => {
      if (!relative || !to.startsWith('adapters/') || adapterOf(from) === adapterOf(to)) return false;
      return !mayImport(adapterOf(from), to);
    });
    expect(strays).toEqual([]);
  });

  it('import no package but what is installed with the package or asked of its user', () => {
    // These are bundled with the command.
    const allowed = new Set([...dependencies, ...peers, 'commander', '@hono/node-server']);
    const strays = imports.filter((imported) => !imported.relative && !isBuiltinOr(allowed, imported));
    expect(strays).toEqual([]);
  });
});

describe('The floors', () => {
  const files = ['src', 'adapters', 'testing', 'proof/simulation'].flatMap(filesIn);
  const imports = files.flatMap(importsOf).filter(({ relative }) => relative);

  it('have a place for each file', () => {
    expect(files.filter((file) => placeOf(file) === undefined)).toEqual([]);
  });

  it('lie above one another: a folder imports from itself and from below', () => {
    const strays = imports.filter(({ from, to }) => {
      const [upper, lower] = [placeOf(from), placeOf(to)];
      return (
        upper === undefined || lower === undefined || (upper !== lower && floorOf(upper) <= floorOf(lower))
      );
    });
    expect(strays).toEqual([]);
  });

  it('have no import circles between files, of types neither', () => {
    const arrows = new Map(files.map((file) => [file, new Set<string>()]));
    for (const { from, to } of imports) arrows.get(from)?.add(to);
    expect(largestCircle(arrows)).toEqual([]);
  });

  it('are those of the simulation, and below them those of ARCHITECTURE.md', () => {
    const text = ['proof/simulation/README.md', 'ARCHITECTURE.md']
      .map((page) => readFileSync(join(root, page), 'utf8'))
      .join('\n');
    const rows = Array.from(text.matchAll(/^\| ((?:`[\w/*.-]+`(?:, )?)+) +\|/gm), ([, places = '']) =>
      places.match(/[\w/*.-]+/g),
    );
    expect(rows).toEqual(FLOORS);
  });
});

describe('examples', () => {
  it('import the package by its public names, as users do', () => {
    const names = new Set(
      Object.keys(manifest.exports).map((subpath) => manifest.name + subpath.slice('.'.length)),
    );
    const strays = importsIn('examples').filter(({ to, relative }) =>
      relative ? /^(src|adapters|dist)\//.test(to) : to.startsWith(manifest.name) && !names.has(to),
    );
    expect(strays).toEqual([]);
  });
});

describe('the package', () => {
  const entryOf = (subpath: string) => {
    const name = subpath === '.' ? 'index' : subpath.slice('./'.length);
    // A second client of a broker has a folder in that of the broker.
    const folders = [name, name.replace('-', '/')].filter((folder, n, all) => all.indexOf(folder) === n);
    const files = [
      `src/${name}.ts`,
      `${name}/index.ts`,
      `testing/${name}/index.ts`,
      ...folders.map((folder) => `adapters/${folder}/index.ts`),
    ];
    return files.filter((file) => existsSync(join(root, file)));
  };
  const subpaths = Object.entries(manifest.exports).filter(([subpath]) => subpath !== './package.json');

  it.each(subpaths)(
    'exports %s from one source file, which is built and found under that name',
    (subpath, target) => {
      const [source, ...others] = entryOf(subpath);
      expect(others).toEqual([]);
      expect(source).toBeDefined();
      const name = subpath === '.' ? 'index' : subpath.slice('./'.length);
      expect(target).toEqual({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
      expect(readFileSync(join(root, 'tsdown.config.ts'), 'utf8')).toMatch(
        new RegExp(`^ +'?${name}'?: '${source}',$`, 'm'),
      );
      expect(readFileSync(join(root, 'tsconfig.json'), 'utf8')).toContain(
        `"${manifest.name}${subpath.slice('.'.length)}": ["./${source}"]`,
      );
    },
  );

  const ownPeers: Record<string, string[]> = {
    './dashboard': ['hono'],
    './sqs': ['@aws-sdk/client-sqs'],
    './kafka': ['kafkajs'],
    // The SDK and kafkajs are loaded by those applications alone that have a queue or topics.
    './nestjs': ['@nestjs/common', '@nestjs/core', '@aws-sdk/client-sqs', 'kafkajs'],
    './otel': ['@opentelemetry/api'],
  };

  const loaded = loadedBy(subpaths.map(([subpath]) => entryOf(subpath)[0] ?? ''));

  it.each(subpaths)('loads with %s no broker client and no database driver but its own', (subpath) => {
    const packages = loaded.get(entryOf(subpath)[0] ?? '') ?? expect.unreachable('no such entry');
    const allowed = new Set([...dependencies, ...(ownPeers[subpath] ?? [])]);
    const foreign = [...packages].filter(
      (name) => !name.startsWith('node:') && !allowed.has(packageOf(name)),
    );
    expect(foreign).toEqual([]);
  });
});
