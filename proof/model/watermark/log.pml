/*
 * The partition. Offsets have gaps, as after a compaction or an aborted transaction: at one of them is no message.
 */
#define LOG_SIZE 4
#define GAP 1

byte log_end;

/* Which messages have a settled record. */
bool settled[LOG_SIZE];

proctype Producer() {
end:
  do
  :: log_end < LOG_SIZE -> log_end++
  od
}

/*
 * Where the first handler was about to run: from there on nothing may be skipped. Before that a group which begins at
 * the end has promised nothing.
 */
#define NOWHERE 9
byte first_position = NOWHERE;

#define IS_SETTLED_OR_NOT_MEANT(offset, position) \
  (offset >= position || offset == GAP || settled[offset] || first_position == NOWHERE || offset < first_position)

#define ALL_SETTLED_BELOW(position) \
  (IS_SETTLED_OR_NOT_MEANT(0, position) && IS_SETTLED_OR_NOT_MEANT(1, position) && \
   IS_SETTLED_OR_NOT_MEANT(2, position) && IS_SETTLED_OR_NOT_MEANT(3, position))
