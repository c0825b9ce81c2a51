import type { Fact, RunEnd } from '../facts/facts.ts';
import type { KafkaFact } from '../facts/kafka-facts.ts';
import type { Life } from '../time/life.ts';

/** Collects what happens in a seed, as lines to read. */
export class Timeline {
  readonly #lines: string[] = [];

  note(fact: Fact, at: number): void {
    const told = textOf(fact);
    if (told === undefined) return;
    const [who, what] = told;
    this.#lines.push(`${at.toFixed(1).padStart(11)}  ${who.padEnd(11)} ${what}`);
  }

  toText(): string {
    return this.#lines.join('\n');
  }
}

type Told = readonly [who: string, what: string];

/** Undefined for what another fact tells too. */
function textOf(fact: Fact): Told | undefined {
  switch (fact.type) {
    case 'fault':
      return [nameOf(fact.life), `! ${fact.fault}${after(fact.what)}`];
    case 'life':
      return [nameOf(fact.life), `the process ${fact.what}`];
    case 'claim':
      return ['store', `claim of ${fact.key} by ${fact.life.id}: ${claimText(fact)}`];
    case 'settle':
      return ['store', `settle of ${fact.key} by ${fact.life.id} (${fact.settlement.kind}): ${fact.reply}`];
    case 'extend':
      return ['store', `extend of ${fact.key} by ${fact.life.id}: ${fact.reply}`];
    case 'keep':
      return ['store', `keep of ${fact.key} by ${fact.life.id}: ${fact.reply}`];
    case 'step-began':
    case 'step-done':
    case 'step':
      return [nameOf(fact.run.life), `${fact.type} ${fact.name} of ${fact.run.message.id}`];
    case 'retried':
    case 'forgotten':
    case 'purged':
      return ['operator', `${fact.key} is ${fact.type}`];
    case 'sent':
      return ['producer', `sends ${fact.message.id} with ${fact.message.key ?? 'no key'}`];
    case 'redriven':
      return ['broker', `moves ${fact.message.id} to the dead letters of its redrive policy`];
    case 'delivered':
      return ['broker', `delivers ${fact.message.id} to ${fact.life.id}, for the ${fact.receiveCount}. time`];
    case 'told':
      return [
        fact.life.id,
        `is told that ${fact.message.id} returned ${fact.result ?? 'what is not on record'}`,
      ];
    case 'acknowledged':
      return ['broker', `is told by ${fact.life.id} that ${fact.message.id} is done with`];
    case 'letter':
      return ['broker', `takes a dead letter of ${fact.message.id} from ${fact.life.id}`];
    case 'committed':
      return ['store', `commits a transaction of ${fact.life.id}`];
    case 'run':
      return [
        nameOf(fact.run.life),
        `runs ${fact.run.message.id}, attempt ${fact.run.number}${heeds(fact.run.heeds)}`,
      ];
    case 'effect':
      return [nameOf(fact.run.life), `effect of ${fact.run.message.id}, attempt ${fact.run.number}`];
    case 'ended':
      return [nameOf(fact.run.life), `ends ${fact.run.message.id}: ${endText(fact.end)}`];
    case 'event':
      return [nameOf(fact.life), `event ${fact.name} of ${fact.of}${after(fact.detail)}`];
    case 'appended':
    case 'log-begins':
    case 'fetched':
    case 'position-committed':
    case 'joined':
    case 'letter-asked':
    case 'letter-answered':
      return ['broker', textOfLogs(fact)];
    case 'asked':
    case 'answered':
    case 'confirmed':
    case 'database-clock-set':
    case 'denied':
    case 'polled':
      return undefined;
  }
}

function textOfLogs(fact: KafkaFact): string {
  switch (fact.type) {
    case 'appended':
      return `has ${fact.message.id} at ${fact.topic}/${fact.partition}/${fact.offset}${fact.copiedBy === undefined ? '' : `, a copy of ${fact.copiedBy.id}`}`;
    case 'log-begins':
      return `keeps ${fact.topic}/${fact.partition} from ${fact.offset} on`;
    case 'fetched':
      return `is asked by ${fact.life.id} for ${fact.topic}/${fact.partition} from ${fact.from} on`;
    case 'position-committed':
      return `has ${fact.position} of ${fact.topic}/${fact.partition} committed by ${fact.life.id}`;
    case 'joined':
      return `${fact.life.id} begins again with its partitions`;
    case 'letter-asked':
      return `${fact.life.id} produces a dead letter of ${fact.message.id}`;
    case 'letter-answered':
      return `${fact.life.id} knows that its dead letter of ${fact.message.id} is ${fact.isSent ? 'sent' : 'not sent'}`;
  }
}

function nameOf(life: Life | undefined): string {
  return life?.id ?? 'plan';
}

function after(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `: ${text}`;
}

function claimText({ reply }: Extract<Fact, { type: 'claim' }>): string {
  if ('retryAfterMs' in reply) return `${reply.kind} for ${Math.round(reply.retryAfterMs)} ms`;
  return reply.kind === 'claimed' ? `claimed, attempt ${reply.attempts}` : reply.kind;
}

function heeds(isHeeding: boolean): string {
  return isHeeding ? '' : ', deaf to its signal';
}

function endText(end: RunEnd): string {
  return end.how === 'threw' && end.retryAfterMs !== undefined ? `asks for ${end.retryAfterMs} ms` : end.how;
}
