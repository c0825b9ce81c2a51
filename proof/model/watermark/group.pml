/*
 * The coordinator of the group. At a rebalance every member has to join again; until it does, what it commits is
 * refused.
 */
#define MEMBERS 2

byte committed = NOWHERE;
byte owner;

/* Whether a member has joined since the last rebalance. */
bool joined[MEMBERS];

inline rebalance() {
  joined[0] = false;
  joined[1] = false;
  if
  :: true -> owner = 0
  :: true -> owner = 1
  fi
}

proctype Group() {
end:
  do
  :: atomic { faults > 0 -> faults--; rebalance() }
  od
}

#ifdef BUG_NO_GENERATION
#define MAY_COMMIT(member) true
#else
#define MAY_COMMIT(member) joined[member]
#endif

inline land_commit(position) {
  HOLDS(commits_pass_nothing, ALL_SETTLED_BELOW(position));
  committed = position
}
