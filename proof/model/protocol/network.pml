/*
 * Statements that their worker has given up on: src/store/reply-in-time.ts. Each lands at any later time, or never.
 */

mtype = { nothing, claim, settle, extend };

mtype late_verb[FAULTS] = nothing;
byte late_token[FAULTS] = NO_WORKER;
mtype late_ending[FAULTS] = returned;

#if FAULTS == 1
#define IS_UNDER_WAY(token) (late_token[0] == token)
#elif FAULTS == 2
#define IS_UNDER_WAY(token) (late_token[0] == token || late_token[1] == token)
#else
#define IS_UNDER_WAY(token) (late_token[0] == token || late_token[1] == token || late_token[2] == token)
#endif

/* Each fault makes at most one such statement, so that there is always room. */
inline let_it_land_later(verb, token, ending) {
  slot = 0;
  do
  :: late_verb[slot] == nothing -> break
  :: else -> slot++
  od;
  late_verb[slot] = verb;
  late_token[slot] = token;
  late_ending[slot] = ending;
  slot = 0
}

inline land_late() {
  token = late_token[slot];
  if
  :: true -> skip /* it never lands */
  :: late_verb[slot] == claim ->
     land_claim(token, reply);
     if
     /* Its worker may hear of it, and then looks for the claim for another lease. */
     :: reply == claimed && watched[token] > 0 -> watched[token] = LEASE
     :: true -> skip
     fi
  :: late_verb[slot] == settle -> land_settle(token, late_ending[slot], reply)
  :: late_verb[slot] == extend -> land_extend(token, reply)
  fi;
  late_verb[slot] = nothing;
  late_token[slot] = NO_WORKER;
  late_ending[slot] = returned;
  slot = 0;
  token = 0;
  reply = lost
}

proctype Network() {
  byte slot;
  byte token;
  mtype reply = lost;
end:
  do
  :: atomic {
       late_verb[0] != nothing -> slot = 0; land_late()
     }
#if FAULTS > 1
  :: atomic {
       late_verb[1] != nothing -> slot = 1; land_late()
     }
#endif
#if FAULTS > 2
  :: atomic {
       late_verb[2] != nothing -> slot = 2; land_late()
     }
#endif
  od
}
