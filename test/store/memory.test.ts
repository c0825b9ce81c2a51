import { storeContract } from './contract.ts';
import { controlledMemoryStore } from './support/controlled-memory-store.ts';

storeContract('The memory store', controlledMemoryStore);
