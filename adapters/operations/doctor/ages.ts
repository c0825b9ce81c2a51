/** How long ago something was. */
export interface Age {
  readonly seconds: number;
  readonly text: string;
}

const UNITS = [
  { name: 'days', seconds: 86_400 },
  { name: 'hours', seconds: 3_600 },
  { name: 'minutes', seconds: 60 },
];

/** Undefined where there is no such time. */
export function ageOf(text: string | null | undefined): Age | undefined {
  if (text === null || text === undefined) return undefined;
  const seconds = Math.max(0, Number(text));
  const unit = UNITS.find((known) => seconds >= 2 * known.seconds) ?? { name: 'seconds', seconds: 1 };
  return { seconds, text: `${Math.floor(seconds / unit.seconds)} ${unit.name}` };
}
