import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';

test('runs once', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'test' });
  const charge = () => handleOnce('order-7', { cents: 995 }, () => 'charged');
  expect(await charge()).toMatchObject({ replayed: false, result: 'charged' });
  expect(await charge()).toMatchObject({ replayed: true, result: 'charged' });
});
