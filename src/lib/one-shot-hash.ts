import crypto from 'node:crypto';

const { hash: found } = crypto as { readonly hash?: typeof crypto.hash };

// The first thing that an older Node lacks: a named import of it ends in a SyntaxError that names no version.
if (found === undefined) {
  throw new Error(`handle-once needs Node 20.19 or newer, and this is Node ${process.versions.node}`);
}

/** The one-shot `hash` costs a third of `createHash`, which saves more than to copy the bytes costs. */
export const oneShotHash = found;
