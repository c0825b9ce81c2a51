import type { AnyHandleOnce } from '../../src/index.ts';
import type { SqsWorkerOptions } from '../sqs/index.ts';
import type { SqsSettings } from './options.ts';
import type { Run, Running } from './running.ts';

/** Runs a worker of a queue. The AWS SDK is loaded by those who have one. */
export async function startSqs(settings: SqsSettings, handleOnce: AnyHandleOnce, run: Run): Promise<Running> {
  const { createSqsWorker } = await import('../sqs/index.ts');
  const options = { ...settings, handleOnce: settings.handleOnce ?? handleOnce };
  const worker = createSqsWorker(options as SqsWorkerOptions<undefined, unknown>, run);
  await worker.start();
  return {
    async stop() {
      await worker.stop();
    },
  };
}
