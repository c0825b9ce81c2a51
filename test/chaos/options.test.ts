import { describe, expect, test } from 'vitest';
import { parseOptions, type Scenarios } from '../../proof/chaos/options.ts';

const KNOWN: Scenarios = {
  kafka: { storm: [], cluster: [] },
  postgres: { killed: [], cut: [] },
  sqs: { killed: [], cut: [] },
};

const parse = (...words: string[]) => parseOptions(words, KNOWN);
const namesOf = (...words: string[]): string[] => parse(...words).scenarios.map(({ name }) => name);

describe('what chaos is asked for', () => {
  test('is a group, or some of it', () => {
    expect(namesOf('kafka')).toEqual(['kafka storm', 'kafka cluster']);
    expect(namesOf('kafka', 'cluster')).toEqual(['kafka cluster']);
  });

  test('is several groups', () => {
    expect(namesOf('postgres', 'cut', 'sqs')).toEqual(['postgres cut', 'sqs killed', 'sqs cut']);
    expect(namesOf('postgres', 'sqs', 'killed')).toEqual(['postgres killed', 'postgres cut', 'sqs killed']);
  });

  test('repeats the decisions of a seed', () => {
    expect(parse('kafka', '--seed', '7', '--quick')).toMatchObject({ seed: 7, quick: true });
    expect(parse('kafka')).toMatchObject({ quick: false });
  });

  test.each([[[]], [['redis']], [['cut']], [['kafka', 'cut']], [['kafka', '--seed', 'x']]])(
    'is refused when it is not known: %j',
    (words) => {
      expect(() => parse(...words)).toThrow('npm run chaos -- kafka [storm | cluster]');
    },
  );
});
