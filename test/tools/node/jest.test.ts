import { describe, it } from 'vitest';
import { jest } from '../../../src/engines/node/jest.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'import-error' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'no-tests' },
  { name: 'none-is-fine', fixture: 'no-tests', args: ['--passWithNoTests'] },
  { name: 'crash' },
  { name: 'bail' },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.config.js' },
];

describe('jest for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(jest), ...toolCase });
  });
});
