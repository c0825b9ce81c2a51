import * as pglite from '@electric-sql/pglite';
import * as core from 'handle-once';
import * as clients from 'handle-once/clients';
import { test } from 'vitest';
import check from '../check.cjs';

test('runs once', () => check(core, clients, pglite), 60_000);
