import { describe, it } from 'vitest';
import { flake8 } from '../../../src/engines/python/flake8.ts';
import { checkTool } from '../support/check-tool.ts';
import { toPythonCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'two-configs' },
  { name: 'bad-value' },
  { name: 'chatty-config' },
  { name: 'quiet-config' },
  { name: 'crash' },
  { name: 'excludes-all' },
  { name: 'silenced' },
  { name: 'to-a-file' },
  { name: 'other-folder', targets: ['a'] },
  { name: 'missing-file', fixture: 'clean', targets: ['gone.py'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.cfg' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('flake8 for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toPythonCase(flake8), ...toolCase });
  });
});
