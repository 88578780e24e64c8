import { describe, it } from 'vitest';
import { mypy } from '../../../src/engines/python/mypy.ts';
import { checkTool } from '../support/check-tool.ts';
import { toPythonCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'note-only' },
  { name: 'syntax-error' },
  { name: 'duplicate-module' },
  { name: 'broken-config' },
  { name: 'missing-plugin' },
  { name: 'crash' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone.py'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.ini' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('mypy for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toPythonCase(mypy), ...toolCase });
  });
});
