const check = require('./check.cjs');

void check(require('handle-once'), require('handle-once/clients'), require('@electric-sql/pglite'));
