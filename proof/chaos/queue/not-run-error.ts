/** A case that this machine lacks something for. Its message says what. */
export class NotRunError extends Error {}
