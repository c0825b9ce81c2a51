import { sqsSuite } from './suite.ts';

sqsSuite('elasticmq');
