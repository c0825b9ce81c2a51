/** The value of a storage option of the table `c`: null where it is not set. */
export function storageOption(name: string): string {
  return `(select o.option_value from pg_options_to_table(c.reloptions) o where o.option_name = '${name}')`;
}

const MOST_NAMED = 3;

/** A table can have hundreds of partitions. */
export function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
