/*
 * Time passes for all at once: leases, as the database and as each worker counts them, backoffs, and the time for which
 * lost claims are looked for.
 *
 * Where a tick ends the lease of a worker that is at work it is a fault: the worker stood still, or the database was
 * slower than a lease. Otherwise time would outrun everyone for ever.
 */

#define WOULD_LAPSE(worker) (phase[worker] != idle && lease_left[worker] == 1)

#if WORKERS == 3
#define SOMEONE_WOULD_LAPSE (WOULD_LAPSE(0) || WOULD_LAPSE(1) || WOULD_LAPSE(2))
#else
#define SOMEONE_WOULD_LAPSE (WOULD_LAPSE(0) || WOULD_LAPSE(1))
#endif

inline tick() {
  count_down(record_live);
  i = 0;
  do
  :: i < WORKERS -> count_down(lease_left[i]); count_down(beat_left[i]); i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < TOKENS -> count_down(watched[i]); i++
  :: else -> break
  od;
  i = 0
}

inline count_down(ticks) {
  if
  :: ticks > 0 -> ticks--
  :: else -> skip
  fi
}

proctype Clock() {
  byte i;
end:
  do
  :: d_step { !SOMEONE_WOULD_LAPSE -> tick() }
  :: d_step { SOMEONE_WOULD_LAPSE && faults > 0 -> faults--; tick() }
  od
}
