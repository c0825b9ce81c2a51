import { holds, type Report, toText } from '../chaos/report.ts';

/** Whether all of them held, and those that did not as blocks below a table. */
export function brokenIn(reports: readonly Report[]): { readonly holds: boolean; readonly shown: string } {
  const broken = reports.filter(({ checks }) => !checks.every(holds));
  const shown = broken.map((report) => `\n\n\`\`\`text\n${toText(report).trimEnd()}\n\`\`\``).join('');
  return { holds: broken.length === 0, shown };
}
