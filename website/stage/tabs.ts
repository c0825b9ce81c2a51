/** Headings of the fourth level between `<!-- tabs -->` and `<!-- /tabs -->`, as tabs. */
export function withTabs(text: string): string {
  return text.replaceAll(
    /^<!-- tabs -->\n(.*?)^<!-- \/tabs -->$/gms,
    (_, tabs: string) => `:::tabs\n${tabs.replaceAll(/^#### (.+)$/gm, (_, name: string) => tab(name))}:::`,
  );
}

/** The name becomes an id, which another attribute lists: a plain space would end it. */
function tab(name: string): string {
  return `== ${name.replaceAll(' ', '\u00a0')}`;
}
