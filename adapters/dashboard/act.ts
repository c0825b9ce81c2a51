import { type ActionName, actionOf, actOn, askToStop, type Audit } from './data/audit.ts';
import { retryMany } from './data/retry-many.ts';
import { linkTo } from './links.ts';
import { type Context, Refused, textIn } from './page.ts';
import { messageOf } from './pages/message.tsx';

/** A form that a visitor has sent from a page. */
interface Sent {
  readonly context: Context;
  readonly audit: Audit;
  readonly fields: URLSearchParams;
}

/** What is done by which page and button, and the address of the page that shows what was done. */
const ACTS = new Map<string, (sent: Sent) => Promise<string>>([
  ['message retry', (sent) => actOnMessage(sent, 'retry')],
  ['message forget', (sent) => actOnMessage(sent, 'forget')],
  ['retry retry', retryAll],
  ['action stop', stop],
]);

/** Does what a form asks for. The address of the page that shows what was done. */
export async function act(sent: Sent): Promise<string> {
  const asked = ACTS.get(`${sent.context.parameters.get('view')} ${sent.fields.get('action')}`);
  if (asked === undefined) throw new Refused('there is no such action on this page');
  return await asked(sent);
}

async function actOnMessage({ context, audit, fields }: Sent, action: ActionName): Promise<string> {
  const { scope, key } = messageOf(context);
  // A field for one line loses the ends of lines.
  const isConfirmed = fields.get('confirm') === key.replaceAll(/[\r\n]/g, '');
  const seen = fields.get('seen') ?? '';
  await actOn(audit, action, { person: context.visitor.name, scope, key, seen, isConfirmed });
  return linkTo('message', { scope, key });
}

async function retryAll({ context, audit, fields }: Sent): Promise<string> {
  const [scope, error] = [textIn(context, 'scope'), textIn(context, 'error')];
  const [since, until] = [momentIn(fields, 'since'), momentIn(fields, 'until')];
  if (scope === undefined || error === undefined || since === undefined || until === undefined)
    throw new Refused('the form is incomplete: open its page again');
  const confirm = Number(/^[\d,]{1,15}$/.exec((fields.get('confirm') ?? '').trim())?.[0].replaceAll(',', ''));
  if (!(confirm >= 1)) throw new Refused('type the number of messages to confirm');
  const many = { person: context.visitor.name, filter: { scope, error, since, until }, confirm };
  return linkTo('action', { id: await retryMany(audit, many) });
}

function momentIn(fields: URLSearchParams, name: string): string | undefined {
  const text = fields.get(name) ?? '';
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

async function stop({ context, audit }: Sent): Promise<string> {
  const { id } = await actionOf(context);
  await askToStop(audit, id, context.visitor.name);
  return linkTo('action', { id });
}
