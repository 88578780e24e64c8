import { defineConfig } from 'vitest/config';

/** The tests of the core alone: what mutation testing (`npm run test:mutation`) runs once for each change it makes. */
export default defineConfig({ test: { include: ['test/core/**/*.test.ts'] } });
