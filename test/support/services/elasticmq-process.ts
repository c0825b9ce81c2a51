import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';
import { startServerProcess } from './server-process.ts';
import type { Service } from './service.ts';

const POM = fileURLToPath(new URL('elasticmq.pom.xml', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/handle-once/', import.meta.url));
const LIBRARIES = join(CACHE, 'elasticmq-1.7.1');

/** Starts ElasticMQ with Java, from libraries that Maven fetches once. */
export async function startElasticMqProcess(): Promise<Service> {
  if (!existsSync(LIBRARIES)) await fetchLibraries();
  const server = await startServerProcess(
    {
      file: 'java',
      args: [
        '-Xmx256m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-Drest-sqs.bind-hostname=127.0.0.1',
        '-Drest-sqs.bind-port=0',
        '-Dgenerate-node-address=true',
        '-Daws.region=us-east-1',
        '-Daws.accountId=000000000000',
        '-cp',
        join(LIBRARIES, '*'),
        'org.elasticmq.server.Main',
      ],
    },
    { ready: /Started SQS rest server, bind address (127\.0\.0\.1:\d+)/, stopSignal: 'SIGTERM' },
  );
  return { url: `http://${server.ready[1]}`, stop: server.stop };
}

async function fetchLibraries(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  // The folder gets its name when it is complete: a half-filled one is never used, nor shared by two runs.
  const unfinished = `${LIBRARIES}.${process.pid}`;
  await run({
    file: 'mvn',
    args: ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`],
  });
  await rename(unfinished, LIBRARIES).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(LIBRARIES)) throw error;
  });
}
