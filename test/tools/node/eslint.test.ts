import { describe, it } from 'vitest';
import { eslint } from '../../../src/engines/node/eslint.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'crash' },
  { name: 'talking-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['src/gone.js'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.config.js' },
  { name: 'one-file', fixture: 'findings', targets: ['src/silenced.js'] },
];

describe('eslint for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(eslint), ...toolCase });
  });

  it.each(CASES)('$name gives what its recording expects (eslint-9)', async (toolCase) => {
    const fixture = `eslint/${toolCase.fixture ?? toolCase.name}`;
    await checkTool({ ...toNodeCase(eslint, { installed: 'eslint-9' }), ...toolCase, tool: 'eslint-9', fixture });
  });
});
