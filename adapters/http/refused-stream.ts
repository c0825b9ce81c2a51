import type { Produced } from './answer.ts';
import { problem } from './problem.ts';
import type { Processor } from './processor.ts';
import { renderProblem } from './render-problem.ts';
import { toStored } from './stored-response.ts';
import type { WholeResponse } from './whole-response.ts';

/** Whether a response is one of server-sent events, which come one by one, with no end in sight. */
export function isEventStream(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^\s*text\/event-stream\s*(;|$)/i.test(contentType);
}

/** In place of a stream. The handler has run, and must not run again: the problem is what a retry gets too. */
export function refusedStream<Own>(
  { settings, maxStoredBytes }: Processor,
  ownOf: (refusal: WholeResponse) => Own,
): Produced<Own> {
  const refusal = renderProblem(problem('streaming'), settings.docs);
  return { own: ownOf(refusal), status: refusal.status, stored: toStored(refusal, maxStoredBytes) };
}
