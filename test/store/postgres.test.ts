import { useDatabase } from '../support/database.ts';
import { storeContract } from './contract.ts';
import { controlledPostgresStore } from './postgres/controlled-store.ts';

const { sql } = useDatabase();

storeContract('The Postgres store', () => controlledPostgresStore(sql));
