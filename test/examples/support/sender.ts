import { Webhook } from 'standardwebhooks';
import type { Example } from './example.ts';

export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Sends signed webhooks to an example that listens, as Standard Webhooks has it. */
export interface Sender {
  /** Resolves with the status of the answer. */
  send(id: string, body: string): Promise<number>;
  /** The same with a signature that does not hold. */
  forge(id: string, body: string): Promise<number>;
}

export async function senderTo(example: Example): Promise<Sender> {
  await example.prints(/port: \d+/);
  const port = /port: (\d+)/.exec(example.output())?.[1] ?? '';
  const webhook = new Webhook(WEBHOOK_SECRET);

  async function post(id: string, body: string, signedBody: string): Promise<number> {
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': webhook.sign(id, now, signedBody),
    };
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
  }

  return {
    send: (id, body) => post(id, body, body),
    forge: (id, body) => post(id, body, `${body} `),
  };
}
