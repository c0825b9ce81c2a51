import { join } from 'node:path';
import { build as esbuild, type BuildOptions, type Plugin } from 'esbuild';
import { ROOT } from './published.ts';

/** What a function brings itself, or what the runtime of Lambda has. */
const EXTERNAL = ['@aws-sdk/*', '@opentelemetry/*', 'kafkajs', 'postgres', '@nestjs/*'];

export interface Bundle {
  readonly code: string;
  readonly bytes: number;
}

/**
 * A program bundled as a Lambda function is: by esbuild, minified, without the AWS SDK and the clients. `folder` has
 * the package as `published` built it.
 */
export async function bundle(program: string, folder: string): Promise<Bundle> {
  const options: BuildOptions = {
    stdin: { contents: program, resolveDir: ROOT },
    plugins: [packageIn(folder)],
    tsconfigRaw: {},
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: EXTERNAL,
    write: false,
    logLevel: 'error',
  };
  const { outputFiles } = await esbuild(options);
  const code = outputFiles?.[0]?.text ?? '';
  return { code, bytes: Buffer.byteLength(code) };
}

/** Finds the subpaths of the package, and their chunks, in a folder; none has side effects, as `package.json` says. */
function packageIn(folder: string): Plugin {
  const found = (file: string) => ({ path: join(folder, file), sideEffects: false });
  return {
    name: 'published',
    setup(build) {
      build.onResolve({ filter: /^handle-once(\/|$)/ }, ({ path }) =>
        found(`${path.slice('handle-once/'.length) || 'index'}.js`),
      );
      build.onResolve({ filter: /^\.\// }, ({ path, resolveDir }) =>
        resolveDir === folder ? found(path) : undefined,
      );
    },
  };
}
