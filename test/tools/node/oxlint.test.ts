import { describe, it } from 'vitest';
import { oxlint } from '../../../src/engines/node/oxlint.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase, withoutStack } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['src/gone.js'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.json' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('oxlint for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(oxlint), ...toolCase });
  });

  it('crash gives what its recording expects', async () => {
    await checkTool({ ...withoutStack(toNodeCase(oxlint)), name: 'crash', fixture: 'clean' });
  });
});
