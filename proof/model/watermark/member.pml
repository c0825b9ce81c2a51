/*
 * A consumer: adapters/kafka. Its handlers end in any order, also after the partition has gone to the other.
 */

mtype = {
  out,        /* it has no partition, or is about to join */
  fetching,   /* it is about to fetch from its position */
  beginning,  /* it commits the position of the fetch before it runs anything of it */
  handling,   /* the handlers of the fetch run */
  ending,     /* the fetch has ended: what is acknowledged is committed */
  refused     /* the group has gone on without it */
};

mtype phase[MEMBERS] = out;

/* partition-tracker.ts: everything below the position is acknowledged, and "known" is what it has seen committed. */
byte position[MEMBERS];
byte known[MEMBERS] = NOWHERE;

/* Of each offset: acknowledged ahead (acknowledged-ahead.ts), its handler runs (in-hand.ts), kept by this fetch. */
typedef Offsets {
  bool ahead[LOG_SIZE];
  bool runs[LOG_SIZE];
  bool kept[LOG_SIZE];
};

Offsets tracker[MEMBERS];

/* Where the fetch ends. */
byte fetch_end[MEMBERS];

#define IS_OPEN(offset) \
  (position[me] <= offset && offset < fetch_end[me] && offset != GAP && !tracker[me].ahead[offset] && !tracker[me].kept[offset])
#define MAY_START(offset) (phase[me] == handling && IS_OPEN(offset) && !tracker[me].runs[offset])
#define ALL_HANDLED (!IS_OPEN(0) && !IS_OPEN(1) && !IS_OPEN(2) && !IS_OPEN(3))

#define IS_BEHIND (position[me] != known[me])
#define IS_UNCOMMITTED (IS_BEHIND && known[me] != NOWHERE)

#ifdef BUG_NO_FIRST_COMMIT
#define IS_FIRST_COMMIT_DUE false
#else
#define IS_FIRST_COMMIT_DUE IS_BEHIND
#endif

/* With nothing to fetch it waits for what is produced. */
#define HAS_TO_FETCH (position[me] < log_end)

inline take_in_assignment() {
  if
  /* It goes on from what is committed; what it has acknowledged ahead it still knows. */
  :: owner == me ->
     if
     :: committed == NOWHERE -> position[me] = log_end; known[me] = NOWHERE
     :: else -> position[me] = committed; known[me] = committed
     fi;
     HOLDS(nothing_skipped, ALL_SETTLED_BELOW(position[me]));
     fetch_end[me] = position[me];
     phase[me] = fetching
  :: else ->
     forget_partition();
     phase[me] = out
  fi;
  forget_kept()
}

inline begin_fetch() {
#ifdef BUG_KEPT_NOT_FETCHED_AGAIN
  if
  :: fetch_end[me] > position[me] -> position[me] = fetch_end[me]
  :: else -> skip
  fi;
#endif
  forget_kept();
  fetch_end[me] = log_end;
  phase[me] = beginning;
  advance()
}

inline start_handler(at) {
  if
  :: first_position == NOWHERE -> first_position = position[me]
  :: else -> skip
  fi;
  if
  /* Its record is the other's, unlapsed: in flight. */
  :: tracker[other].runs[at] -> tracker[me].kept[at] = true
  :: else -> tracker[me].runs[at] = true
  fi
}

inline end_handler(at) {
  tracker[me].runs[at] = false;
  if
  :: true ->
     settled[at] = true;
     acknowledge(at)
  :: keeps > 0 && !settled[at] ->
     keeps--;
#ifdef BUG_KEPT_PASSED
     acknowledge(at)
#else
     tracker[me].kept[at] = true
#endif
  fi
}

/* acknowledge in fetch/fetch-progress.ts. After the end of its fetch a message is only remembered. */
inline acknowledge(at) {
  if
  :: phase[me] == out || at < position[me] -> skip
  :: else ->
     tracker[me].ahead[at] = true;
#ifdef BUG_COMMITS_HIGHEST
     position[me] = at + 1;
#endif
     if
     :: phase[me] == handling -> advance()
     :: else -> skip
     fi
  fi
}

#ifdef BUG_GAP_WAITED_FOR
#define IS_DONE(at) tracker[me].ahead[at]
#else
#define IS_DONE(at) (at == GAP || tracker[me].ahead[at])
#endif

/* advance in fetch/fetch-progress.ts: up to the first message that is not acknowledged. */
inline advance() {
  do
  :: position[me] < fetch_end[me] && IS_DONE(position[me]) ->
     tracker[me].ahead[position[me]] = false;
     position[me]++
  :: else -> break
  od
}

/* Commits the position. It lands or is refused; where that goes wrong it may have landed, and no reply comes. */
inline commit_position(on_success, on_failure) {
  if
  :: MAY_COMMIT(me) ->
     if
     :: true ->
        land_commit(position[me]);
        known[me] = position[me];
        phase[me] = on_success
     :: faults > 0 ->
        faults--;
        if
        :: true -> land_commit(position[me])
        :: true -> skip
        fi;
#ifdef BUG_COMMITTED_ONCE
        known[me] = position[me];
#endif
        phase[me] = on_failure
     fi
  :: else ->
     /* tellRefusal in client/refusal.ts: nothing more starts until it has joined again. */
     phase[me] = refused
  fi
}

inline end_fetch() {
#ifdef BUG_COMMITS_WHOLE_FETCH
  position[me] = fetch_end[me];
#endif
  phase[me] = ending
}

inline forget_partition() {
  position[me] = 0;
  known[me] = NOWHERE;
  fetch_end[me] = 0;
  tracker[me].ahead[0] = false;
  tracker[me].ahead[1] = false;
  tracker[me].ahead[2] = false;
  tracker[me].ahead[3] = false
}

inline forget_kept() {
  tracker[me].kept[0] = false;
  tracker[me].kept[2] = false;
  tracker[me].kept[3] = false
}

/* Its handlers are gone, and the leases of what it ran lapse: here at once. */
inline die() {
  forget_partition();
  forget_kept();
  tracker[me].runs[0] = false;
  tracker[me].runs[2] = false;
  tracker[me].runs[3] = false;
  phase[me] = out;
  rebalance()
}

proctype Member(byte me) {
  byte other = 1 - me;
  byte offset;
end:
  do
  /* joined in partition/assignments.ts: it hears what the group has decided. */
  :: atomic { !joined[me] -> joined[me] = true; take_in_assignment() }

  /* begin in partition-tracker.ts. One that has not heard of a rebalance may fetch too: that is a fault. */
  :: atomic { phase[me] == fetching && joined[me] && HAS_TO_FETCH -> begin_fetch() }
  :: atomic { phase[me] == fetching && !joined[me] && faults > 0 -> faults--; begin_fetch() }

  /* commitFirstPosition in fetch/run-fetch.ts */
  :: atomic { phase[me] == beginning && IS_FIRST_COMMIT_DUE -> commit_position(handling, fetching) }
  :: atomic { phase[me] == beginning && !IS_FIRST_COMMIT_DUE -> phase[me] = handling }

  /* startMessage in fetch/run-fetch.ts */
  :: atomic { MAY_START(0) -> start_handler(0) }
  :: atomic { MAY_START(2) -> start_handler(2) }
  :: atomic { MAY_START(3) -> start_handler(3) }

  /* A handler ends, whenever it likes: note in fetch/run-fetch.ts */
  :: atomic { tracker[me].runs[0] -> end_handler(0) }
  :: atomic { tracker[me].runs[2] -> end_handler(2) }
  :: atomic { tracker[me].runs[3] -> end_handler(3) }

  /* fetch/keep-alive.ts commits on a timer, fetch/commit-at-end.ts at the end of a fetch, and again after a failure. */
  :: atomic { phase[me] == handling && IS_BEHIND -> commit_position(handling, handling) }
  :: atomic { phase[me] == ending && IS_BEHIND -> commit_position(fetching, fetching) }
  :: atomic { phase[me] == ending && !IS_BEHIND -> phase[me] = fetching }
  :: atomic { phase[me] == fetching && joined[me] && !HAS_TO_FETCH && IS_UNCOMMITTED -> commit_position(fetching, fetching) }

  /* The end of a fetch: nothing of it is left to do, or another partition is due and its handlers run on. */
  :: atomic { phase[me] == handling && ALL_HANDLED -> end_fetch() }
  :: atomic { phase[me] == handling && !ALL_HANDLED && faults > 0 -> faults--; end_fetch() }

  /* The process dies and starts again: its group meets without it. */
  :: atomic { phase[me] != out && faults > 0 -> faults--; die() }
  od
}
