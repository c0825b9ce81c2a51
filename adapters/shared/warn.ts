import type { EventSink } from '../../src/adapter-kit.ts';

export interface Warning<Name extends string> {
  /** Stable between versions; the code of what is printed too. */
  readonly warning: Name;
  /** The finding with its figures, and what to do. */
  readonly message: string;
  /** Where it is of one. */
  readonly scope?: string;
}

/** A finding, mostly about settings. */
export interface WarningEvent<Name extends string> extends Warning<Name> {
  readonly type: 'warning';
}

/** Emits a finding, if there is one. */
export function warn<Name extends string>(
  found: Warning<Name> | undefined,
  events: Pick<EventSink<WarningEvent<Name>>, 'emit'>,
): void {
  if (found === undefined) return;
  events.emit({ type: 'warning', ...found });
}
