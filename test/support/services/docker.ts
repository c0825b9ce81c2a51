import { setTimeout as sleep } from 'node:timers/promises';
import { getContainerRuntimeClient } from 'testcontainers';

/** Whether a Docker daemon answers; an installed client proves nothing. */
export async function dockerIsRunning(): Promise<boolean> {
  const answers = getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  return Promise.race([answers, sleep(3_000, false, { ref: false })]);
}
