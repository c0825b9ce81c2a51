import { useDatabase } from '../../support/database.ts';
import { publishAllTables } from '../../support/published.ts';
import { storeSmokeTest } from '../contract.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();
publishAllTables(sql);

// The server refuses every update of a table without a replica identity.
storeSmokeTest('The Postgres store whose tables are published', () => controlledPostgresStore(sql));
