import * as pglite from '@electric-sql/pglite';
import * as core from 'handle-once';
import * as clients from 'handle-once/clients';
import check from './check.cjs';

await check(core, clients, pglite);
