import { describe, it } from 'vitest';
import type { ArgsInput } from '../../../src/core/model/engine.ts';
import { coverage } from '../../../src/engines/python/coverage.ts';
import { checkTool } from '../support/check-tool.ts';
import { toPythonCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'failing-tests' },
  { name: 'below-threshold' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'crash' },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.cfg' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('coverage for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toPythonCase(coverage), ...toolCase });
  });

  it('measures itself where pytest-cov is known to be there', async () => {
    const withPlugin = {
      ...coverage,
      toCommands: (input: ArgsInput) => coverage.toCommands({ ...input, companions: ['pytest-cov'] }),
    };
    await checkTool({ ...toPythonCase(withPlugin), name: 'plugin-known', fixture: 'pytest-cov' });
  });
});
