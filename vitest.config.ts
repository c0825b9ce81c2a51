import { defineConfig } from 'vitest/config';

// Its notice that Node 20 will not be supported for ever is printed by every process that loads the SDK.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Many tests make messages fail; what is printed then is tested in processes of their own.
    execArgv: ['--disable-warning=HandleOnceWarning'],
    // The tests mostly wait for a database or a queue.
    maxWorkers: '100%',
    // A machine that stalls for a second makes leases and visibility timeouts of a second lapse: CI tries such a test
    // once more, and the summary tells of it.
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
