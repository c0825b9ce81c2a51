/** Headings of the fourth level between `<!-- tabs -->` and `<!-- /tabs -->`, as tabs. */
export function withTabs(text: string): string {
  return text.replaceAll(
    /^<!-- tabs -->\n(.*?)^<!-- \/tabs -->$/gms,
    (_, tabs: string) => `:::tabs\n${tabs.replaceAll(/^#### (.+)$/gm, '== $1')}:::`,
  );
}
