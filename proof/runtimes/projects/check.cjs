// The core and `inTransaction`, for each program here that loads the package in its own way.
const assert = require('node:assert/strict');

module.exports = async function check({ createHandleOnce, migrate }, { fromPglite }, { PGlite }) {
  const database = new PGlite();
  const sql = fromPglite(database);
  await migrate(sql);
  await database.exec('create table invoices (id text)');
  const handleOnce = createHandleOnce({ sql, scope: 'runtimes' });

  const charge = () => handleOnce('order-7', { cents: 995 }, () => 'charged');
  assert.deepEqual(replaysOf([await charge(), await charge()]), [false, true]);

  const invoice = () =>
    handleOnce.inTransaction('order-8', { id: 'order-8' }, async ({ id }, _attempt, tx) => {
      await tx.query('insert into invoices values ($1)', [id]);
    });
  assert.deepEqual(replaysOf([await invoice(), await invoice()]), [false, true]);
  const { rows } = await database.query('select id from invoices');
  assert.equal(JSON.stringify(rows), '[{"id":"order-8"}]');

  await database.close();
  console.log('ok');
};

function replaysOf(outcomes) {
  return outcomes.map(({ state, replayed }) => {
    assert.equal(state, 'succeeded');
    return replayed;
  });
}
