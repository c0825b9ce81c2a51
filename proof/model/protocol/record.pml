/*
 * The record, and the three statements as the database runs them: each is one atomic step, and only the database's clock
 * decides. They are those of src/store/postgres/statements, and of testing/memory/memory.ts.
 */

mtype = { pending, succeeded, failed };

/* Of a claim: the caller is the owner; someone else is, or the backoff lasts; the record is settled. */
mtype = { claimed, kept, replayed };
/* Of a settle and of a heartbeat: the record is settled for good, released, extended; or it is another's. */
mtype = { settled, released, extended, lost };
/* How an attempt ends: the handler returned, it threw, it never started. */
mtype = { returned, threw, not_started };

mtype record_state = pending;
bool record_owned;
byte record_token = NO_WORKER;
byte record_live;       /* ticks until the lease lapses, or the backoff is over */
byte record_failures;
byte record_deaths;

/* Whether the handler of the claim on the record has started. The database does not know. */
bool record_began;

/* The attempts that the record counts, less those that it should. */
short miscounted;

#define OWNS(token) (record_owned && record_token == token)

#ifdef BUG_TAKEOVER_EARLY
#define IS_LIVE (record_live > 1)
#else
#define IS_LIVE (record_live > 0)
#endif

#ifdef BUG_ATTEMPT_NOT_COUNTED
#define ADDED_BY_CLAIM (!record_owned)
#else
#define ADDED_BY_CLAIM 1
#endif

#ifdef BUG_TAKE_BACK_COUNTS
#define SUBTRACTED_BY_RELEASE 0
#else
#define SUBTRACTED_BY_RELEASE 1
#endif

/* claim-new.sql, claim-any.sql */
inline land_claim(token, reply) {
  if
#ifdef BUG_SETTLED_RUNS_AGAIN
  :: record_state == succeeded -> reply = replayed
#else
  :: record_state != pending -> reply = replayed
#endif
  :: else ->
     if
     :: OWNS(token) && IS_LIVE -> reply = claimed
     :: !OWNS(token) && IS_LIVE -> reply = kept
#ifdef BUG_NO_TAKEOVER
     :: !IS_LIVE && record_owned -> reply = kept
     :: !IS_LIVE && !record_owned -> take(token, reply)
#else
     :: !IS_LIVE -> take(token, reply)
#endif
     fi
  fi
}

/* A free record, or a takeover: a lease that has lapsed is the death of its worker. */
inline take(token, reply) {
  if
  :: record_owned && record_deaths < MAX_DEATHS -> record_deaths++
  :: else -> skip
  fi;
  if
#ifndef BUG_DEATHS_WITHOUT_LIMIT
  :: record_owned && record_deaths >= MAX_DEATHS ->
     record_state = failed;
     record_token = token;
     close_record();
     reply = replayed
#endif
  :: else ->
     HOLDS(settled_stays, record_state == pending);
     HOLDS(limits_kept, record_failures < MAX_FAILURES && !(record_owned && record_deaths >= MAX_DEATHS));
     count_attempt();
     record_owned = true;
     record_token = token;
     record_live = LEASE;
     record_began = false;
     reply = claimed
  fi
}

/* What the record adds, less what it should add. */
inline count_attempt() {
  miscounted = miscounted + ADDED_BY_CLAIM - 1;
  HOLDS(attempts_counted, miscounted == 0)
}

#ifdef BUG_SETTLE_BY_KEY
#define MAY_SETTLE(token) record_owned
#else
#define MAY_SETTLE(token) OWNS(token)
#endif

/* settle.sql, settled-before.sql */
inline land_settle(token, ending, reply) {
  if
  :: MAY_SETTLE(token) ->
     HOLDS(settled_stays, record_state == pending);
     HOLDS(fenced, OWNS(token));
     record_owned = false;
     if
     :: ending == returned ->
        record_state = succeeded;
        close_record()
     :: ending == threw ->
        record_failures++;
        record_deaths = 0;
        record_live = BACKOFF;
        record_began = false;
        if
        :: record_failures == MAX_FAILURES -> record_state = failed; close_record()
        :: else -> skip
        fi
     :: ending == not_started ->
        uncount_attempt();
        record_live = 0
     fi;
     say_how_it_is(reply)
  :: !MAY_SETTLE(token) && record_token == token -> say_how_it_is(reply)
  :: !MAY_SETTLE(token) && record_token != token -> reply = lost
  fi
}

/* A settle that is sent again finds what it has done the first time. */
inline say_how_it_is(reply) {
  reply = (record_state == pending -> released : settled)
}

/* An attempt that has started stays counted, and one that has not is subtracted: docs/tuning.md. */
inline uncount_attempt() {
  miscounted = miscounted - SUBTRACTED_BY_RELEASE + !record_began;
  HOLDS(attempts_counted, miscounted == 0)
}

/* What no statement asks a settled record for is cleared, so that there are fewer states. */
inline close_record() {
  record_owned = false;
  record_live = 0;
  record_failures = 0;
  record_deaths = 0;
  record_began = false
}

#ifdef BUG_EXTEND_BY_KEY
#define MAY_EXTEND(token) record_owned
#else
#define MAY_EXTEND(token) OWNS(token)
#endif

/* extend.sql */
inline land_extend(token, reply) {
  if
  :: MAY_EXTEND(token) ->
     HOLDS(fenced, OWNS(token));
     record_live = LEASE;
     reply = extended
  :: else -> reply = lost
  fi
}
