import * as z from 'zod/mini';
import type { HttpEvent } from '../../../adapters/http/events.ts';
import type { Answer as HttpAnswer } from '../../../adapters/http/answer.ts';
import { unlessOver } from '../../../adapters/http/deadline.ts';
import { httpFields } from '../../../adapters/http/options.ts';
import { processRequest, type ReceivedRequest } from '../../../adapters/http/process-request.ts';
import { createProcessor } from '../../../adapters/http/processor.ts';
import { toStored } from '../../../adapters/http/stored-response.ts';
import { fingerprint } from '../../../src/payload/fingerprint.ts';
import { SCOPE } from '../actors/handle-once.ts';
import type { Process } from '../actors/process.ts';
import type { Surface } from '../actors/surface.ts';
import { BROKER_FAULTS, HTTP_OUTCOMES, REQUEST_FAULTS } from '../facts/names.ts';
import type { Answer, Answering } from '../models/clients.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { openServers } from './servers.ts';

const TARGET = '/orders';
/** Of records whose caller is not told apart. */
const KEY_PREFIX = '-:';

/** Requests with an Idempotency-Key, where they enter the adapter: no sockets, and no server around it. */
export const http: Surface = {
  name: 'http',
  weight: 8,
  identity: {
    scope: `${SCOPE}>http:${encodeURIComponent(`POST ${TARGET}`)}`,
    keyPrefix: KEY_PREFIX,
    fingerprintOf: (body) => fingerprint([TARGET, fingerprint(Buffer.from(body))]),
  },
  faults: [...BROKER_FAULTS, ...REQUEST_FAULTS],
  outcomes: HTTP_OUTCOMES,
  // A request that was released runs again at once, as often as its client likes; none is aborted by its process.
  lacks: ['backing-off', 'aborted', 'interrupted', 'it was interrupted'],
  rules: [],
  fit: (settings) => ({ ...settings, onFailed: 'acknowledge', maxAttempts: Infinity, backoffMs: 0 }),
  open: (world) => openServers(world, false, (process) => createOperation(world, process)),
};

const settingsOfHttp = z.strictObject(httpFields());

function createOperation(world: World, { life, handleOnce, handle }: Process): Answering {
  const settings = settingsOfHttp.parse({
    handleOnce,
    route: TARGET,
    principal: null,
    waitMs: world.random.pick([0, 1_500]),
    onEvent: (event: HttpEvent) => {
      tellAnswer(world, life, event);
    },
  });
  const processor = createProcessor('onceEachRequest', settings, false);
  return async (message) => {
    const received: ReceivedRequest<Buffer> = {
      method: 'POST',
      target: TARGET,
      subject: 'onceEachRequest',
      keyHeader: message.key?.slice(KEY_PREFIX.length),
      request: message,
      principal: () => undefined,
      readBody: () => Promise.resolve(Buffer.from(message.body)),
      hasBegun: () => false,
      discard: () => undefined,
      async run(attempt, over) {
        const run = () => handle(message, attempt, undefined, { over });
        const body = Buffer.from(String(await unlessOver(over, run, () => undefined)));
        const stored = toStored({ status: 201, headers: [], body }, processor.maxStoredBytes);
        return { own: body, status: 201, stored };
      },
    };
    const answer = await processRequest(processor, received);
    tellBody(world, life, message, answer);
    return toAnswer(answer);
  };
}

/** As a client reads it that sends again what `Idempotency-Status` does not call stored. */
function toAnswer(answer: HttpAnswer<unknown>): Answer {
  switch (answer.kind) {
    case 'own':
      return answer.type === 'stored' ? 'done' : 'again';
    case 'replay':
      return 'done';
    case 'threw':
      return answer.type === 'failed' ? 'done' : 'again';
    case 'problem': {
      const { name, status } = answer.problem;
      if (name === 'not-kept' || name === 'failed') return 'done';
      return status >= 500 || name === 'in-flight' ? 'again' : 'refused';
    }
    case 'pass':
      throw new Error('a POST is recorded');
  }
}

/** What is answered of a request that is on record: by its handler, or from there. */
function tellBody(world: World, life: Life, message: PlannedMessage, answer: HttpAnswer<Buffer>): void {
  const isStored = answer.kind === 'own' && answer.type === 'stored';
  const body = answer.kind === 'replay' ? answer.body : isStored ? answer.own : undefined;
  if (body !== undefined) world.tell({ type: 'told', life, message, result: body.toString() });
}

function tellAnswer(world: World, life: Life, { type, status, key = '' }: HttpEvent): void {
  world.tell({ type: 'event', life, name: `answered ${status ?? 'by a throw'}`, of: key, detail: type });
}
