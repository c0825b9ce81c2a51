/*
 * One message, its record, and two or three workers: claim, extend, settle, release, take-back and takeover.
 *
 * How to read Promela. A `proctype` is a process. A `do` loop has options, each with a guard before its arrow; an
 * option whose guard holds may be taken, and where several hold any of them may. What is in `atomic` or `d_step`
 * happens as one step. Spin tries every order of all steps of all processes, and every choice: what it has not found
 * does not exist in this model. `byte` and `bool` are numbers, `mtype` is a set of names, an `inline` is pasted where
 * its name is called.
 *
 * What is left out: payloads, batches, suspects, interruptions, retention (a settled record stays for good), and clocks
 * that run at another speed. The queue is the most hostile there is: it hands the message to anyone at any time, until
 * it is deleted.
 *
 * A bug is planted by its name: spin -DBUG_SETTLE_BY_KEY. The names are in proof/model/cases.ts.
 */

/* How many workers there are, and how often something may go wrong. */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FAULTS
#define FAULTS 2
#endif

/* Ticks of the clock. */
#define LEASE 2
#define BACKOFF 1

/* The limits of docs/tuning.md, and how many heartbeats an attempt sends at most. */
#define MAX_FAILURES 2
#define MAX_DEATHS 2
#define BEATS 1

byte faults = FAULTS;

/* Whether the message is deleted at its broker. */
bool deleted;

#include "rules.pml"
#include "tokens.pml"
#include "record.pml"
#include "network.pml"
#include "worker.pml"
#include "clock.pml"

init {
  atomic {
    run Clock();
    run Network();
    run Worker(0);
    run Worker(1);
#if WORKERS == 3
    run Worker(2);
#endif
  }
}

/* Once faults stop everything ends: the message is deleted, and no worker has anything in hand. */
ltl everything_ends { <> [] (deleted && ALL_IDLE) }
