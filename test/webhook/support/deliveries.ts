import { createHmac } from 'node:crypto';
import type { WebhookProvider } from 'handle-once/webhook';
import { Webhook } from 'standardwebhooks';

export interface SampleDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly id: string;
}

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function hmac(content: string, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', SECRET).update(content).digest(encoding);
}

const now = new Date();
const seconds = Math.floor(now.getTime() / 1_000);

const githubBody = JSON.stringify({
  action: 'opened',
  issue: { url: 'https://api.github.com/repos/octocat/Hello-World/issues/1347', number: 1347 },
  repository: { id: 1296269, full_name: 'octocat/Hello-World', owner: { login: 'octocat', id: 1 } },
  sender: { login: 'octocat', id: 1 },
});

const stripeBody = JSON.stringify({
  id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  object: 'event',
  api_version: '2019-02-19',
  created: 1686089970,
  data: { object: { id: 'seti_1NG8Du2eZvKYlo2C9XMqbR0x', object: 'setup_intent', status: 'succeeded' } },
  livemode: false,
  pending_webhooks: 2,
  request: { id: null, idempotency_key: null },
  type: 'setup_intent.created',
});

const shopifyBody = JSON.stringify({
  id: 820982911946154500,
  email: 'jon@example.com',
  total_price: '254.98',
});

const standardBody = JSON.stringify({
  type: 'contact.created',
  timestamp: '2022-11-03T20:26:10.344522Z',
  data: { id: '1f81eb52-5198-4599-803e-771906343485', type: 'contact', fullName: 'John Smith' },
});

const slackBody = JSON.stringify({
  token: 'z26uFbvR1xHJEdHE1OQiO6t8',
  team_id: 'T123ABC456',
  api_app_id: 'A123ABC456',
  event: { type: 'reaction_added', user: 'U123ABC456', reaction: 'slightly_smiling_face' },
  type: 'event_callback',
  event_id: 'Ev123ABC456',
  event_time: 1234567890,
});

const STANDARD_ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
const standardSignature = new Webhook(SECRET).sign(STANDARD_ID, now, standardBody);

/** One delivery of each sender, as its documentation shows it. */
export const deliveries: Readonly<Record<WebhookProvider, SampleDelivery>> = {
  github: {
    id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    headers: {
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-Hub-Signature-256': `sha256=${hmac(githubBody, 'hex')}`,
      'User-Agent': 'GitHub-Hookshot/044aadd',
      'Content-Type': 'application/json',
      'X-GitHub-Event': 'issues',
      'X-GitHub-Hook-ID': '292430182',
    },
    body: githubBody,
  },
  stripe: {
    id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
    headers: {
      'Stripe-Signature': `t=${seconds},v1=${hmac(`${seconds}.${stripeBody}`, 'hex')}`,
      'Content-Type': 'application/json; charset=utf-8',
    },
    body: stripeBody,
  },
  shopify: {
    id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
    headers: {
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Hmac-Sha256': hmac(shopifyBody, 'base64'),
      'X-Shopify-Shop-Domain': 'example.myshopify.com',
      'X-Shopify-API-Version': '2026-07',
      'X-Shopify-Webhook-Id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      'X-Shopify-Triggered-At': '2026-07-27T16:23:17.590-04:00',
      'X-Shopify-Event-Id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
    },
    body: shopifyBody,
  },
  'standard-webhooks': {
    id: STANDARD_ID,
    headers: {
      'webhook-id': STANDARD_ID,
      'webhook-timestamp': String(seconds),
      'webhook-signature': standardSignature,
    },
    body: standardBody,
  },
  svix: {
    id: STANDARD_ID,
    headers: {
      'svix-id': STANDARD_ID,
      'svix-timestamp': String(seconds),
      'svix-signature': standardSignature,
    },
    body: standardBody,
  },
  slack: {
    id: 'Ev123ABC456',
    headers: {
      'X-Slack-Request-Timestamp': String(seconds),
      'X-Slack-Signature': `v0=${hmac(`v0:${seconds}:${slackBody}`, 'hex')}`,
      'X-Slack-Retry-Num': '1',
      'X-Slack-Retry-Reason': 'http_timeout',
    },
    body: slackBody,
  },
};

export const providerNames = Object.keys(deliveries) as WebhookProvider[];
