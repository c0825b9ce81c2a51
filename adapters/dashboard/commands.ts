/** For a shell: a scope can have a `>`, and a key anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Delivers the dead letters of a scope again, or the one of a message. */
export function redriveCommand(scope: string, key?: string): string {
  const of = key === undefined ? '' : ` --key ${quoted(key)}`;
  return `npx handle-once redrive --from $DEAD --to $QUEUE --scope ${quoted(scope)}${of}`;
}

export function retryCommand(scope: string, error: string): string {
  return `npx handle-once retry --scope ${quoted(scope)} --error ${quoted(error)}`;
}
