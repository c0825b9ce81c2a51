import colors from 'picocolors';

/** The running commentary, with the seconds since the demo began. */
export function say(text: string): void {
  const seconds = (performance.now() / 1_000).toFixed(1).padStart(5);
  console.log(`${colors.dim(`${seconds} s`)}  ${text}`);
}
