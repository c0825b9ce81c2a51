import { answersSuite, messagesSuite, useCheckedFixture } from './suite.ts';

const fixture = useCheckedFixture('elasticmq');
answersSuite(fixture);
messagesSuite(fixture);
