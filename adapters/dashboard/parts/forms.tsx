import type { Child } from 'hono/jsx';
import { printable } from '../../../src/lib/printable.ts';
import type { Context } from '../page.ts';
import type { Query, View } from '../links.ts';
import { link } from './values.tsx';

/** Changes the filter in the address of a page. */
export function filterForm(view: View, fields: readonly Child[]) {
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

/** What is sent, and what is shown. */
type Choices = Iterable<readonly [value: string, text: string]>;

export function choiceField(name: string, label: string, value: string | undefined, choices: Choices) {
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
export function anyOf(choices: readonly string[]): Choices {
  return [['', 'all'], ...choices.map((choice) => [choice, choice] as const)];
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

/** To where a list goes on, if it does. */
export function nextLink(view: View, query: Query, next: string | undefined, text = 'Next') {
  return next !== undefined && <p>{link(text, view, { ...query, after: next })}</p>;
}
