import type { EventSink } from '../../src/adapter-kit.ts';

export interface Warning<Name extends string> {
  /** Stable between versions. It is also the code of the printed warning. */
  readonly warning: Name;
  /** The finding, with figures, and what to do. */
  readonly message: string;
  /** If it is about one scope. */
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
