import type { Context } from './context.ts';
import { actOn, askToStop, type Desk } from './data/audit.ts';
import { retryMany } from './data/retry-many.ts';
import { linkTo } from './links.ts';
import { BadRequest } from './page.ts';
import { messageOf } from './pages/message.tsx';

type Fields = URLSearchParams;

/** Does what a form asks for. The address of the page that shows what was done. */
export async function act(context: Context, desk: Desk, fields: Fields): Promise<string> {
  const view = context.parameters.get('view');
  const asked = `${view} ${fields.get('action')}`;
  switch (asked) {
    case 'message retry':
    case 'message forget':
      return await actOnMessage(context, desk, asked === 'message retry' ? 'retry' : 'forget', fields);
    case 'retry retry':
      return await retryAll(context, desk, fields);
    case 'action stop':
      return await stop(context, desk);
    default:
      throw new BadRequest('there is no such action on this page');
  }
}

async function actOnMessage(
  context: Context,
  desk: Desk,
  action: 'retry' | 'forget',
  fields: Fields,
): Promise<string> {
  const { scope, key } = messageOf(context);
  // A field for one line loses the ends of lines.
  const isConfirmed = fields.get('confirm') === key.replaceAll(/[\r\n]/g, '');
  const seen = fields.get('seen') ?? '';
  await actOn(desk, action, { person: context.visitor.name, scope, key, seen, isConfirmed });
  return linkTo('message', { scope, key });
}

async function retryAll(context: Context, desk: Desk, fields: Fields): Promise<string> {
  const { parameters, visitor, now } = context;
  const [scope, error] = [parameters.get('scope') ?? '', parameters.get('error') ?? ''];
  const [since, until] = [momentIn(fields, 'since'), momentIn(fields, 'until')];
  if (scope === '' || error === '' || since === undefined || until === undefined)
    throw new BadRequest('the form is incomplete: open its page again');
  const confirm = Number((fields.get('confirm') ?? '').replaceAll(',', '').trim());
  if (!Number.isSafeInteger(confirm) || confirm < 1)
    throw new BadRequest('type the number of messages to confirm');
  const id = await retryMany(
    desk,
    { person: visitor.name, filter: { scope, error, since, until }, confirm },
    now,
  );
  return linkTo('action', { id });
}

function momentIn(fields: Fields, name: string): string | undefined {
  const text = fields.get(name) ?? '';
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

async function stop({ parameters, visitor }: Context, desk: Desk): Promise<string> {
  const id = parameters.get('id') ?? '';
  if (!/^\d{1,18}$/.test(id)) throw new BadRequest('id must be the id of an action in the audit');
  await askToStop(desk, id, visitor.name);
  return linkTo('action', { id });
}
