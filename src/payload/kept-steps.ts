import { encodeResult } from './result-codec.ts';
import { DamagedRecordError } from '../words/errors.ts';
import { TerminalError } from '../words/handler-errors.ts';
import type { ResultOmitted } from '../words/outcome.ts';

/** The end of a step, as it is on record. */
interface KeptStep {
  /** Milliseconds from the first claim of the message. */
  readonly ms: number;
  /** Absent where it was undefined, or where it is omitted. */
  readonly result?: unknown;
  readonly omitted?: ResultOmitted;
}

/** The steps of a message that have ended, by name. Their text is bounded. */
export class KeptSteps {
  readonly #texts = new Map<string, string>();
  readonly #maxBytes: number;

  /** `text`: of the record. Throws a `SyntaxError` or `TypeError` where it is damaged. */
  constructor(text: string | undefined, maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
    const kept = JSON.parse(text ?? '{}') as Readonly<Record<string, KeptStep>>;
    if (Array.isArray(kept) || typeof kept !== 'object') throw new TypeError('no object of steps');
    for (const [name, { ms, result, omitted }] of Object.entries(kept)) {
      if (typeof ms !== 'number') throw new TypeError('a step without its time');
      if (omitted !== undefined && !Object.hasOwn(WHY, omitted))
        throw new TypeError('omitted for no known reason');
      this.#texts.set(name, JSON.stringify({ ms, result, omitted }));
    }
  }

  get size(): number {
    return this.#texts.size;
  }

  has(name: string): boolean {
    return this.#texts.has(name);
  }

  /** Adds the end of a step, without its result where that cannot be kept. */
  add(name: string, ms: number, value: unknown): void {
    const left = this.#maxBytes - Buffer.byteLength(this.text);
    const { result, resultOmitted } = encodeResult(value, left);
    if (resultOmitted !== null) this.omit(name, ms, resultOmitted);
    // As it is written again when it has been read: a text never becomes shorter.
    else
      this.#texts.set(
        name,
        JSON.stringify(result === null ? { ms } : { ms, result: JSON.parse(result) as unknown }),
      );
  }

  omit(name: string, ms: number, omitted: ResultOmitted): void {
    this.#texts.set(name, JSON.stringify({ ms, omitted }));
  }

  /** Returns whether a step of this name was kept. */
  delete(name: string): boolean {
    return this.#texts.delete(name);
  }

  /** Without their results, in the order in which they ended. */
  list(): readonly (Pick<KeptStep, 'ms' | 'omitted'> & { readonly name: string })[] {
    const steps = Array.from(this.#texts.keys(), (name) => {
      const { ms, omitted } = this.#step(name);
      return { name, ms, ...(omitted === undefined ? {} : { omitted }) };
    });
    return steps.toSorted((a, b) => a.ms - b.ms);
  }

  /** Whether `resultOf` has it. */
  hasResult(name: string): boolean {
    return this.#step(name).omitted === undefined;
  }

  /** Throws a `TerminalError` where the record does not have it. */
  resultOf(name: string): unknown {
    const { result, omitted } = this.#step(name);
    if (omitted !== undefined) throw withoutResult(name, omitted, this.#maxBytes);
    return result;
  }

  get text(): string {
    return `{${Array.from(this.#texts, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
  }

  #step(name: string): KeptStep {
    return JSON.parse(this.#texts.get(name) ?? '{}') as KeptStep;
  }
}

/** Those of a record. Throws `DamagedRecordError`. */
export function keptStepsOf(
  { scope, key }: { readonly scope: string; readonly key: string },
  text: string | undefined,
  maxBytes?: number,
): KeptSteps {
  try {
    return new KeptSteps(text, maxBytes);
  } catch {
    throw new DamagedRecordError(scope, key, 'steps');
  }
}

const WHY: Readonly<Record<ResultOmitted, (maxBytes: number) => string>> = {
  'too-large': (maxBytes) => `with it the steps of the message would have more than ${maxBytes} bytes`,
  'not-serializable': () => 'JSON cannot keep it',
  'refused-by-store': () => 'the database could not take its text',
  'not-stored': () => 'it was not stored',
};

function withoutResult(name: string, omitted: ResultOmitted, maxBytes: number): TerminalError {
  return new TerminalError(
    `step ${JSON.stringify(name)} has ended in an earlier attempt, but its result is not on record: ` +
      `${WHY[omitted](maxBytes)}. It does not run again. Return less from the step, or nothing, or raise maxStepBytes`,
    { code: 'STEP_WITHOUT_RESULT' },
  );
}
