import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What all tests share: they start real processes (git, Redis, sandboxes, the App) on machines with two slow cores. */
const shared = {
  // Tests start the command line from its sources, which Node compiles anew each time, unless it is told where to keep that.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/compiled') },
  setupFiles: ['test/support/network-guard.ts'],
  // Longer than the waits in them (`world.until`), which say what never came. A wait is no assertion: a slow machine must not fail.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // How long `expect.poll` waits; its own default is one second, too short for a busy machine.
  expect: { poll: { timeout: 300_000 } },
  restoreMocks: true,
  // Files share a process, unless they change it for others: importing the same modules again for each file takes longer
  // than most of its tests, and no module of ours has a state.
  isolate: false,
};

/** In this order, since a process goes on to the next file only if that is of the same project; the longest files come first. */
const PROJECTS = ['e2e', 'outside', 'parts', 'intercepted', 'tools', 'agents', 'photographs'];

class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = await super.sort(files);
    return longestFirst.toSorted((left, right) => toRank(left) - toRank(right));
  }
}

function toRank({ project }: TestSpecification): number {
  return PROJECTS.indexOf(project.name);
}

/** Where nock stands in for the network, it does so for its whole process. */
const INTERCEPTED = 'test/contract/github/**/*.test.ts';

/**
 * What works with sandboxes, package managers, git, Redis, sockets and other users for minutes. `npm test` leaves it and `e2e` to
 * `npm run test:all`.
 */
const OUTSIDE = ['contract/**/*', 'security/**/*', 'world/**/*', '**/*.outside'].map(
  (files) => `test/${files}.test.ts`,
);

export default defineConfig({
  test: {
    // One more than the cores: tests wait for processes and the disk too. Each worker imports all modules for itself and holds half
    // a gigabyte, so more of them only take the time from each other.
    maxWorkers: Math.min(availableParallelism() + 1, 6),
    sequence: { sequencer: ProjectByProject },
    // By content, in node_modules.
    experimental: { fsModuleCache: true },
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/tools/**', 'test/agents/**', ...OUTSIDE],
        },
      },
      { test: { ...shared, name: 'outside', include: OUTSIDE, exclude: [INTERCEPTED] } },
      { test: { ...shared, name: 'intercepted', include: [INTERCEPTED] } },
      { test: { ...shared, name: 'photographs', include: ['test/pages/photographs.ts'] } },
      { test: { ...shared, name: 'tools', include: ['test/tools/**/*.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          globalSetup: ['test/support/build-bundle.ts'],
        },
      },
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
