/*
 * What must hold. Each rule is true until it is broken, and the verifier stops there: it then names the rule.
 */

/* A message is deleted only after its record is settled. */
bool nothing_lost = true;

/* At most one worker runs a handler in a lease that has not lapsed, as far as the worker knows. */
bool one_owner = true;

/* A handler that looks at its signal starts, and has effects, only while the database says that the key is its own. */
bool acts_in_lease = true;

/* A write after the claim changes the record for the token that owns it, and for no other. */
bool fenced = true;

/* A settled record does not change. */
bool settled_stays = true;

/* An attempt is counted once when it is claimed, and subtracted only if its handler has not started. */
bool attempts_counted = true;

/* Nothing runs again after the last failure, or after the last death in a row. */
bool limits_kept = true;

/* A worker that claims does not find a claim of its own whose reply it has lost: that would count as a death. */
bool deaths_counted = true;

#define HOLDS(rule, condition) rule = (condition); assert(rule)
