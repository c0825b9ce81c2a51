import { sqsSuite } from './suite.ts';

sqsSuite('fauxqs');
