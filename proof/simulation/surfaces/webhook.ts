import { onceEachWebhook, type WebhookEvent } from '../../../adapters/webhook/index.ts';
import { fingerprint } from '../../../src/payload/fingerprint.ts';
import { SCOPE } from '../actors/handle-once.ts';
import type { Process } from '../actors/process.ts';
import type { Surface } from '../actors/surface.ts';
import { BROKER_FAULTS, REQUEST_FAULTS, WEBHOOK_OUTCOMES } from '../facts/names.ts';
import type { Answering } from '../models/clients.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { openServers } from './servers.ts';

const SENDER = 'sender';

/** Senders of webhooks, who repeat what is not answered 200; and others, who use their ids. */
export const webhook: Surface = {
  name: 'webhook',
  weight: 8,
  identity: {
    scope: `${SCOPE}>webhook:${SENDER}`,
    keyPrefix: '',
    fingerprintOf: (body) => fingerprint(Buffer.from(body)),
  },
  faults: [...BROKER_FAULTS, ...REQUEST_FAULTS, 'request forged'],
  outcomes: WEBHOOK_OUTCOMES,
  lacks: [],
  rules: [],
  // What has failed for good is answered 200.
  fit: (settings) => ({ ...settings, onFailed: 'acknowledge' }),
  open: (world) => openServers(world, true, (process) => createEndpoint(world, process)),
};

/** Of the sender, and of a forger. */
const GOOD_SIGNATURE = 'good';
const BAD_SIGNATURE = 'bad';

function createEndpoint(world: World, { life, handleOnce, handle }: Process): Answering {
  const waitMs = world.random.pick([0, 1_500]);
  const handleWebhook = onceEachWebhook(
    {
      handleOnce,
      source: { header: 'x-delivery-id' },
      name: SENDER,
      verify: ({ headers }) => headers['x-signature'] === GOOD_SIGNATURE,
      onEvent: (event) => {
        tellAnswer(world, life, event);
      },
    },
    (_, attempt) => handle(world.messageOf(attempt.headers['x-message'] ?? ''), attempt),
  );
  return async (message, { isForged, signal }) => {
    const headers = {
      'x-message': message.id,
      'x-delivery-id': message.key,
      'x-signature': isForged ? BAD_SIGNATURE : GOOD_SIGNATURE,
    };
    const body = isForged ? 'forged' : message.body;
    const { answer, outcome } = await handleWebhook({ headers, body }, { signal, waitMs });
    world.tellOutcome(life, message, outcome);
    if (answer.status === 200) return 'done';
    return answer.status >= 500 ? 'again' : 'refused';
  };
}

function tellAnswer(world: World, life: Life, { status, id = '', type }: WebhookEvent): void {
  world.tell({ type: 'event', life, name: `answered ${status}`, of: id, detail: type });
}
