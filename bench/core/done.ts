/** What every handler returns. */
export interface Done {
  readonly ok: true;
}

export const OK: Done = { ok: true };
