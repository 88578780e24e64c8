import { defineConfig } from 'vitest/config';

/** The tests of the core alone: what mutation testing (`npm run test:mutation`) runs once for each change it makes. */
export default defineConfig({
  test: {
    // The first run must pass also on a busy machine; Stryker has a time limit of its own for each mutant.
    testTimeout: 180_000,
    include: ['test/core/**/*.test.ts'],
  },
});
