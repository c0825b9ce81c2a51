import { useDatabase } from '../../support/database.ts';
import { publishAllTables } from '../../support/published.ts';
import { storeContract } from '../contract.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();
publishAllTables(sql);

storeContract('The Postgres store whose tables are published', () => controlledPostgresStore(sql));
