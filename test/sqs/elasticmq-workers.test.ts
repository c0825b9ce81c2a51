import { useCheckedFixture, workersSuite } from './suite.ts';

workersSuite(useCheckedFixture('elasticmq'));
