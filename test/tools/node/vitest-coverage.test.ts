import { describe, it } from 'vitest';
import { vitestCoverage } from '../../../src/engines/node/vitest-coverage.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'threshold' },
  { name: 'whole' },
  { name: 'failing-tests', fixture: 'vitest/findings' },
  { name: 'unhandled-error', fixture: 'vitest/unhandled-error' },
  { name: 'broken-config', fixture: 'vitest/broken-config' },
  { name: 'no-tests', fixture: 'vitest/no-tests' },
];

describe('vitest-coverage for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({
      ...toNodeCase(vitestCoverage, { packages: { '@vitest/coverage-v8': '@vitest/coverage-v8' } }),
      ...toolCase,
    });
  });
});
