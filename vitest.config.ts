import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/network-guard.ts'],
    // Tests start real processes (git, Redis, sandboxes, the App itself) on machines with two slow cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    restoreMocks: true,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: {
      provider: 'v8',
      include: ['src/core/**'],
      reporter: ['text-summary', 'text'],
      reportsDirectory: 'reports/coverage',
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});
