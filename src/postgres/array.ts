/** A Postgres array literal, so that an array can be sent as one text parameter and cast in the statement. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

const SPECIAL = /["\\]/;

function element(value: string | number | null): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  return SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
