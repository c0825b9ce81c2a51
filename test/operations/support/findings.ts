import { doctor, type DoctorOptions, type Finding } from 'handle-once/operations';

/** What one check of `doctor` finds. */
export async function findingOf(check: string, options: DoctorOptions): Promise<Finding> {
  const findings = await doctor(options);
  const finding = findings.find((one) => one.check === check);
  if (finding === undefined) throw new Error(`there is no finding of ${check}`);
  return finding;
}

/** The statement that a fix tells to run. */
export function statementIn({ fix = '' }: Finding): string {
  const [, statement] = /run `(alter .*?|grant .*?|drop .*?)`(?=,| and |;|$)/.exec(fix) ?? [];
  if (statement === undefined) throw new Error(`no statement in: ${fix}`);
  return statement;
}
