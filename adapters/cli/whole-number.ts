import { InvalidArgumentError } from 'commander';

/** The value of an option that counts. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of at most 15 digits.');
  }
  return Number(text);
}
