/*
 * A worker: src/engine. It receives the message, claims its key, runs the handler, settles, and deletes the message. A
 * statement is sent, lands, and is answered, in three steps: time passes between them, and others act.
 *
 * A process that stands still needs no step of its own: others take theirs meanwhile.
 */

mtype = {
  idle,           /* it has nothing in hand */
  received,       /* the broker has delivered the message */
  claim_sent, claim_landed,
  running,        /* the handler runs */
  beat_sent, beat_landed,
  settle_sent, settle_landed,
  done            /* the record is settled: the message may be deleted */
};

mtype phase[WORKERS] = idle;
byte token_of[WORKERS] = NO_WORKER;
/* Ticks for which the worker knows its lease to last: src/engine/lease.ts. It counts from when it sent the claim. */
byte lease_left[WORKERS];
/* The same, from when it sent the heartbeat that is under way. */
byte beat_left[WORKERS];

#define RUNS_IN_LEASE(worker) \
  ((phase[worker] == running || phase[worker] == beat_sent || phase[worker] == beat_landed) && lease_left[worker] > 0)

#if WORKERS == 3
#define OWNERS (RUNS_IN_LEASE(0) + RUNS_IN_LEASE(1) + RUNS_IN_LEASE(2))
#define ALL_IDLE (phase[0] == idle && phase[1] == idle && phase[2] == idle)
#else
#define OWNERS (RUNS_IN_LEASE(0) + RUNS_IN_LEASE(1))
#define ALL_IDLE (phase[0] == idle && phase[1] == idle)
#endif

#define HAS_FOUND_LOST_CLAIM(worker) (IS_TOKEN_OF(worker, record_token) && watched[record_token] > 0)

inline take_back() {
  if
  :: HAS_FOUND_LOST_CLAIM(me) ->
     watched[record_token] = 0;
     land_settle(record_token, not_started, reply_to_take_back);
     reply_to_take_back = lost
  :: else -> skip
  fi
}

inline choose_token() {
#ifdef BUG_TOKEN_SENT_AGAIN
  if
  :: token_of[me] != NO_WORKER -> skip
  :: else ->
#endif
  token_of[me] = me * TOKENS_EACH;
  do
  :: record_token == token_of[me] || watched[token_of[me]] > 0 || IS_UNDER_WAY(token_of[me]) -> token_of[me]++
  :: else -> break
  od;
  assert(token_of[me] < (me + 1) * TOKENS_EACH)
#ifdef BUG_TOKEN_SENT_AGAIN
  fi
#endif
}

inline take_in_claim() {
#ifdef BUG_LEASE_FROM_REPLY
  if
  :: reply == claimed -> lease_left[me] = LEASE
  :: else -> skip
  fi;
#endif
  if
#ifdef BUG_LATE_CLAIM_RUNS
  :: reply == claimed -> start_handler()
#else
  :: reply == claimed && lease_left[me] > 0 -> start_handler()
  :: reply == claimed && lease_left[me] == 0 -> give_claim_up()
#endif
#ifdef BUG_IN_FLIGHT_DELETED
  :: reply == kept -> phase[me] = done
#else
  :: reply == kept -> rest()
#endif
  :: reply == replayed -> lease_left[me] = 0; phase[me] = done
  fi;
  reply = lost
}

inline start_handler() {
  phase[me] = running;
  beats = BEATS;
  HOLDS(one_owner, OWNERS <= 1);
  HOLDS(acts_in_lease, OWNS(token_of[me]) && record_live > 0);
  record_began = true
}

inline end_handler() {
  if
#ifdef BUG_DEAF_SIGNAL
  :: true ->
#else
  :: lease_left[me] > 0 ->
#endif
     HOLDS(acts_in_lease, OWNS(token_of[me]) && record_live > 0);
     if
     :: true -> ending = returned
     :: true -> ending = threw
     fi
#ifndef BUG_DEAF_SIGNAL
  :: else -> ending = threw
#endif
  fi;
  beats = 0
}

inline take_in_beat() {
  if
  :: reply == extended && lease_left[me] > 0 -> lease_left[me] = beat_left[me]
  :: reply == lost -> lease_left[me] = 0
  :: else -> skip
  fi;
  beat_unanswered();
  HOLDS(one_owner, OWNERS <= 1)
}

inline beat_unanswered() {
  beat_left[me] = 0;
  reply = lost;
  phase[me] = running
}

inline take_in_settle() {
  if
  :: reply == settled -> lease_left[me] = 0; ending = returned; phase[me] = done
  :: else -> rest()
  fi;
  reply = lost
}

/* A settle is sent again for as long as the lease is kept; then the end of the attempt is unrecorded. */
inline settle_unanswered() {
  reply = lost;
  if
  :: lease_left[me] > 0 -> phase[me] = settle_sent
#ifdef BUG_UNRECORDED_DELETED
  :: else -> ending = returned; phase[me] = done
#else
  :: else -> rest()
#endif
  fi
}

inline give_claim_up() {
  watched[token_of[me]] = LEASE;
#ifdef BUG_TOKEN_SENT_AGAIN
  lease_left[me] = 0;
  reply = lost;
  phase[me] = received
#else
  rest()
#endif
}

inline delete_message() {
  HOLDS(nothing_lost, record_state != pending);
  deleted = true
}

/* What a worker with nothing in hand does not need is cleared, so that there are fewer states. */
inline rest() {
  phase[me] = idle;
  token_of[me] = NO_WORKER;
  lease_left[me] = 0;
  beat_left[me] = 0;
  ending = returned;
  reply = lost
}

inline die() {
  if
  :: phase[me] == claim_sent -> let_it_land_later(claim, token_of[me], returned)
  :: phase[me] == beat_sent -> let_it_land_later(extend, token_of[me], returned)
  :: phase[me] == settle_sent -> let_it_land_later(settle, token_of[me], ending)
  :: else -> skip
  fi;
  slot = me * TOKENS_EACH;
  do
  :: slot < (me + 1) * TOKENS_EACH -> watched[slot] = 0; slot++
  :: else -> break
  od;
  slot = 0;
  beats = 0;
  rest()
}

proctype Worker(byte me) {
  mtype reply = lost;
  mtype reply_to_take_back = lost;
  mtype ending = returned;
  byte beats;
  byte slot;
end:
  do
  :: atomic { phase[me] == idle && !deleted -> phase[me] = received }

  /* The sweep of src/store/take-backs.ts, at any time. */
  :: atomic { HAS_FOUND_LOST_CLAIM(me) -> take_back() }

  /* claim in src/engine/claim.ts; before it lost claims of the key are released: releaseNow in take-backs.ts. */
  :: atomic {
       phase[me] == received ->
#ifndef BUG_NO_RELEASE_BEFORE_CLAIM
       take_back();
#endif
       HOLDS(deaths_counted, !HAS_FOUND_LOST_CLAIM(me));
       choose_token();
       lease_left[me] = LEASE;
       phase[me] = claim_sent
     }
  :: atomic { phase[me] == claim_sent -> land_claim(token_of[me], reply); phase[me] = claim_landed }
  :: atomic { phase[me] == claim_landed -> take_in_claim() }

  /* The handler: src/engine/run-attempt.ts. It asks its signal, has its effect, and returns or throws. */
  :: atomic { phase[me] == running -> end_handler(); phase[me] = settle_sent }

  /* A heartbeat: beat in src/engine/lease.ts */
  :: atomic {
       phase[me] == running && beats > 0 && lease_left[me] > 0 ->
       beats--;
       beat_left[me] = LEASE;
       phase[me] = beat_sent
     }
  :: atomic { phase[me] == beat_sent -> land_extend(token_of[me], reply); phase[me] = beat_landed }
  :: atomic { phase[me] == beat_landed -> take_in_beat() }

  /* src/engine/settle-until-answered.ts. The first try is made in any case. */
  :: atomic {
#ifdef BUG_DELETE_BEFORE_SETTLE
       phase[me] == settle_sent && !deleted -> delete_message()
     }
  :: atomic {
#endif
       phase[me] == settle_sent -> land_settle(token_of[me], ending, reply); phase[me] = settle_landed
     }
  :: atomic { phase[me] == settle_landed -> take_in_settle() }

  /* decide in src/adapter/decide.ts: acknowledge. */
  :: atomic { phase[me] == done -> delete_message(); rest() }

  /* No reply comes in time: the statement may land later, or has landed already. */
  :: atomic {
       phase[me] == claim_sent && faults > 0 ->
       faults--;
       let_it_land_later(claim, token_of[me], returned);
       give_claim_up()
     }
  :: atomic { phase[me] == claim_landed && faults > 0 -> faults--; give_claim_up() }
  :: atomic {
       phase[me] == beat_sent && faults > 0 ->
       faults--;
       let_it_land_later(extend, token_of[me], returned);
       beat_unanswered()
     }
  :: atomic { phase[me] == beat_landed && faults > 0 -> faults--; beat_unanswered() }
  :: atomic {
       phase[me] == settle_sent && faults > 0 ->
       faults--;
       let_it_land_later(settle, token_of[me], ending);
       settle_unanswered()
     }
  :: atomic { phase[me] == settle_landed && faults > 0 -> faults--; settle_unanswered() }

  /* The process dies, and starts again with nothing. What it has sent is under way. */
  :: atomic { phase[me] != idle && faults > 0 -> faults--; die() }
  od
}
