/** An environment variable that an example cannot do without. */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    console.error(`set ${name} to run this example`);
    process.exit(1);
  }
  return value;
}
