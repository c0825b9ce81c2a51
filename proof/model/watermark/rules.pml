/*
 * What must hold. Each rule is true until it is broken, and the verifier stops there: it then names the rule.
 */

/* Nothing is committed past a message that is not settled. */
bool commits_pass_nothing = true;

/* No member begins past a message that is not settled, from where the first of them has begun. */
bool nothing_skipped = true;

#define HOLDS(rule, condition) rule = (condition); assert(rule)
