const HINT =
  'handle-once: a problem is not printed, since Node runs with --no-warnings or NODE_NO_WARNINGS. Give logger ' +
  '(console will do) or onEvent; or use --disable-warning=ExperimentalWarning in place of --no-warnings\n';

let isSaid = false;

/** Says on stderr, once in a process, that Node prints no warnings, and so none of ours. */
export function sayWhereSilent(): void {
  if (isSaid || !isSilent()) return;
  isSaid = true;
  process.stderr.write(HINT);
}

/** Without its own listener Node prints none; one of the user's gets them. */
function isSilent(): boolean {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')];
  const isAsked = process.env['NODE_NO_WARNINGS'] === '1' || options.includes('--no-warnings');
  return isAsked && process.listenerCount('warning') === 0;
}
