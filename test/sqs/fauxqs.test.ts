import { answersSuite, useCheckedFixture } from './suite.ts';

answersSuite(useCheckedFixture('fauxqs'));
