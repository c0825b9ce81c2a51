/** After a refusal, in milliseconds: a role without the rights is asked so rarely, and loses these lines alone. */
export const REST_MS = 60_000;
