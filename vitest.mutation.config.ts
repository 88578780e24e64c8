import { defineConfig } from 'vitest/config';

/** The tests of the core alone: what mutation testing (`npm run test:mutation`) runs once for each change it makes. */
export default defineConfig({
  test: {
    // The first run must pass also on a busy machine; Stryker has a time limit of its own for each mutant.
    testTimeout: 180_000,
    include: (process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts').split(','),
    // Megabytes of input for each change would take days, and say nothing about a value.
    exclude: ['**/size-bounds.test.ts'],
  },
});
