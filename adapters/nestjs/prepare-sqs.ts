import type { AnyHandleOnce } from '../../src/index.ts';
import type { SqsWorkerOptions } from '../sqs/index.ts';
import type { SqsSettings } from './options.ts';
import type { Prepared, Run } from './running.ts';

/** A worker of a queue. The AWS SDK is loaded by those who have one. Throws `InvalidOptionsError`. */
export async function prepareSqs(
  settings: SqsSettings,
  handleOnce: AnyHandleOnce,
  run: Run,
): Promise<Prepared> {
  const { createSqsWorker } = await import('../sqs/index.ts');
  const options = { ...settings, handleOnce: settings.handleOnce ?? handleOnce };
  const worker = createSqsWorker(options as SqsWorkerOptions<undefined, unknown>, run);
  return {
    async start() {
      await worker.start();
      return {
        async stop() {
          await worker.stop();
        },
      };
    },
  };
}
