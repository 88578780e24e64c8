import { describe, it } from 'vitest';
import { vitest } from '../../../src/engines/node/vitest.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'import-error' },
  { name: 'syntax-error' },
  { name: 'failing-hook' },
  { name: 'unhandled-error' },
  { name: 'unhandled-and-failing' },
  { name: 'broken-config' },
  { name: 'failing-setup' },
  { name: 'no-tests' },
  { name: 'none-is-fine', fixture: 'no-tests', args: ['--passWithNoTests'] },
  { name: 'crash' },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.config.js' },
];

describe('vitest for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(vitest), ...toolCase });
  });
});
