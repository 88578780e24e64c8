import { describe, it } from 'vitest';
import { pylint } from '../../../src/engines/python/pylint.ts';
import { checkTool } from '../support/check-tool.ts';
import { toPythonCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'unknown-option' },
  { name: 'missing-plugin' },
  { name: 'crash' },
  { name: 'excludes-all' },
  { name: 'no-messages' },
  { name: 'other-format' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone.py'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.rc' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('pylint for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toPythonCase(pylint), ...toolCase });
  });
});
