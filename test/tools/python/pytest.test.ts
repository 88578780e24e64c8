import { describe, it } from 'vitest';
import type { ArgsInput } from '../../../src/core/model/engine.ts';
import { pytest } from '../../../src/engines/python/pytest.ts';
import { checkTool } from '../support/check-tool.ts';
import { toPythonCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'import-error' },
  { name: 'broken-config' },
  { name: 'broken-conftest' },
  { name: 'crash' },
  { name: 'internal-error' },
  { name: 'interrupted' },
  { name: 'no-tests' },
  { name: 'stops-early' },
  { name: 'threshold' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone_test.py'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.ini' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('pytest for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toPythonCase(pytest), ...toolCase });
  });

  it('leaves the measuring to coverage where pytest-cov is known to be there', async () => {
    const withPlugin = {
      ...pytest,
      toCommands: (input: ArgsInput) => pytest.toCommands({ ...input, companions: ['pytest-cov'] }),
    };
    await checkTool({ ...toPythonCase(withPlugin), name: 'plugin-known', fixture: 'threshold' });
  });
});
