import { hasPromises } from '../listed-promises.ts';
import { refuseUnrun } from '../refuse-unrun.ts';

/** What a step returned, once all of it has been done, as of a handler. Throws a `TypeError` for what has not run. */
export async function resultOfStep(returned: unknown): Promise<unknown> {
  const awaited = await returned;
  const result = hasPromises(awaited) ? await Promise.all(awaited) : awaited;
  refuseUnrun(result, 'step');
  return result;
}
