/*
 * One Kafka partition, a group of two members, and how far the group has committed. How to read Promela is said in
 * protocol/protocol.pml.
 *
 * Members fetch, run the handlers of a fetch side by side, and commit the position below which everything is
 * acknowledged. The group meets at any time and gives the partition to either of them; one that has not heard of it goes
 * on, as a zombie.
 *
 * What is left out: the record of a message, of which only "settled or not" is kept (protocol/ has the rest), seeks of
 * the user, dead letters, retry topics, and topics that are made again. The group begins at the end of a partition of
 * which it has committed nothing, as it does by default.
 */
#ifndef FAULTS
#define FAULTS 2
#endif
/* How often a message is kept: its handler threw, or the store was out of reach. */
#define KEPT_AT_MOST 1

byte faults = FAULTS;
byte keeps = KEPT_AT_MOST;

#include "rules.pml"
#include "log.pml"
#include "group.pml"
#include "member.pml"

init {
  atomic {
    run Producer();
    run Group();
    run Member(0);
    run Member(1);
  }
}

/* Once faults stop, everything is committed, and stays so; or else nothing was ever fetched. */
ltl everything_ends { <> [] (log_end == LOG_SIZE && (committed == LOG_SIZE || committed == NOWHERE)) }
