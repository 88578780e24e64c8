import { describe, it } from 'vitest';
import { stylelint } from '../../../src/engines/node/stylelint.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'wrong-option' },
  { name: 'crash' },
  { name: 'missing-file', fixture: 'clean', targets: ['src/gone.css'] },
  { name: 'one-file', fixture: 'findings', targets: ['src/a.css'] },
];

describe('stylelint for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(stylelint), ...toolCase });
  });

  it.each(CASES)('$name gives what its recording expects (stylelint-16)', async (toolCase) => {
    const fixture = `stylelint/${toolCase.fixture ?? toolCase.name}`;
    await checkTool({
      ...toNodeCase(stylelint, { installed: 'stylelint-16' }),
      ...toolCase,
      tool: 'stylelint-16',
      fixture,
    });
  });
});
