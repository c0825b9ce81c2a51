import type { Child } from 'hono/jsx';
import { printable } from '../../../src/lib/printable.ts';
import type { Context } from '../context.ts';
import type { ViewName } from '../links.ts';

/** Changes the filter in the address of a page. */
export function filterForm(view: ViewName, fields: readonly Child[]) {
  return (
    <form class="filter" method="get">
      <input type="hidden" name="view" value={view} />
      {fields}
      <button type="submit">Show</button>
    </form>
  );
}

export function textField(name: string, label: string, value = '', placeholder = '') {
  return (
    <label>
      {label}
      <input
        name={name}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        dir="auto"
      />
    </label>
  );
}

/** `choices` has what is sent and what is shown. */
export function choiceField(
  name: string,
  label: string,
  value: string | undefined,
  choices: ReadonlyMap<string, string>,
) {
  return (
    <label>
      {label}
      <select name={name}>
        {[...choices].map(([choice, text]) => (
          <option value={choice} selected={choice === (value ?? '')}>
            {printable(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** One of some texts, or none. */
export function anyOf(choices: readonly string[]): ReadonlyMap<string, string> {
  return new Map([['', 'all'], ...choices.map((choice): [string, string] => [choice, choice])]);
}

/** Changes something. It is sent to the address of its page. */
export function actionForm({ formToken }: Context, action: string, label: string, fields: readonly Child[]) {
  return (
    <form class={`action ${action}`} method="post">
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="token" value={formToken} />
      {fields}
      <button type="submit">{label}</button>
    </form>
  );
}

/** A link to where a list goes on. */
export function nextLink(href: string | undefined, text = 'Next') {
  return href === undefined ? null : (
    <p>
      <a href={href}>{text}</a>
    </p>
  );
}
