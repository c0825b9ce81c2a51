/** Stands for an argument that a handler gets only with an option: this type names the option that is missing. */
export interface MissingOption<Option extends string> {
  /** It does not exist at run time. */
  readonly missingOption: Option;
}
