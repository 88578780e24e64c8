import { defineConfig } from 'vitest/config';

/** What all tests share: they start real processes (git, Redis, sandboxes, the App) on machines with two slow cores. */
const shared = {
  setupFiles: ['test/support/network-guard.ts'],
  testTimeout: 90_000,
  hookTimeout: 60_000,
  restoreMocks: true,
};

/** What reads and writes nothing, and keeps no state: its files need no process each, which is half of their time. */
const PURE = ['core', 'engines', 'schemas', 'config'].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    // One more than the cores that most machines have: the end-to-end tests wait more than they work.
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    projects: [
      { test: { ...shared, name: 'pure', include: PURE, isolate: false } },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/tools/**', ...PURE],
        },
      },
      { test: { ...shared, name: 'tools', include: ['test/tools/**/*.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build-bundle.ts'],
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/core/**'],
      reporter: ['text-summary', 'text'],
      reportsDirectory: 'reports/coverage',
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});
