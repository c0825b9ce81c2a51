import { expect, it } from 'vitest';
import { parseOptions, SECTIONS } from '../../bench/options.ts';

it('runs all sections unless some are named', () => {
  expect(parseOptions([])).toEqual({ sections: SECTIONS, quick: false });
  expect(parseOptions(['sqs', 'core', '--quick'])).toEqual({ sections: ['core', 'sqs'], quick: true });
});

it('names the sections there are to who asks for another', () => {
  expect(() => parseOptions(['cores'])).toThrow(/no section cores: there are core, delay/);
});
