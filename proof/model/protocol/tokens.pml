/*
 * Fencing tokens. Every claim has one of its own: newToken in src/engine/claim.ts.
 *
 * A token that nothing refers to any more is taken again, so that there are few states. Each worker has tokens enough
 * for one on the record, one in hand, and one for each fault.
 */
#define TOKENS_EACH (FAULTS + 2)
#define TOKENS (WORKERS * TOKENS_EACH)
#define NO_WORKER TOKENS

#define IS_TOKEN_OF(worker, token) (token < NO_WORKER && token / TOKENS_EACH == worker)

/*
 * How long a claim is looked for whose reply was given up on, by its token: the list of src/store/take-backs.ts. It is
 * in the memory of a worker, and dies with it. That of no worker is always 0.
 */
byte watched[TOKENS + 1];
