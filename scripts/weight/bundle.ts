import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a function brings itself, or what the runtime of Lambda has. */
const EXTERNAL = ['@aws-sdk/*', '@opentelemetry/*', 'kafkajs', 'postgres', '@nestjs/*'];

export interface Bundle {
  readonly code: string;
  readonly bytes: number;
  /** As it travels. */
  readonly gzipBytes: number;
}

/** A program bundled as a Lambda function is: by esbuild, minified, without the AWS SDK and the clients. */
export async function bundle(program: string, root = ROOT): Promise<Bundle> {
  const options: BuildOptions = {
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    tsconfig: join(root, 'tsconfig.json'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: EXTERNAL,
    write: false,
    logLevel: 'error',
  };
  const { outputFiles } = await build(options);
  const code = outputFiles?.[0]?.text ?? '';
  return { code, bytes: Buffer.byteLength(code), gzipBytes: gzipSync(code).length };
}
