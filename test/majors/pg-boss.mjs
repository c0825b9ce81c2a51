// pg-boss 12 has no default export, which the example for its tenth major imports. All else of it is as it is.
export { PgBoss as default } from './node_modules/pg-boss/dist/index.js';
