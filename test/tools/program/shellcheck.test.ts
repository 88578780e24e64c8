import { describe, it } from 'vitest';
import { shellcheck } from '../../../src/engines/program/shellcheck.ts';
import { checkTool } from '../support/check-tool.ts';
import { toProgramCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean', targets: ['bin/run.sh'] },
  { name: 'findings', targets: ['bin/run.sh', 'lib/load.bash'] },
  { name: 'syntax-error', targets: ['bad.sh', 'wrong.sh'] },
  { name: 'broken-config', targets: ['a.sh'] },
  { name: 'unknown-shell', targets: ['a.sh'] },
  { name: 'missing-file', fixture: 'clean', targets: ['bin/run.sh', 'gone.sh'] },
  { name: 'bad-flag', fixture: 'clean', targets: ['bin/run.sh'], args: ['--no-such-flag'] },
];

describe('shellcheck for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toProgramCase(shellcheck), ...toolCase });
  });

  it('crash gives what its recording expects', async () => {
    const { launcher, ...toolCase } = toProgramCase(shellcheck);
    const withoutStack = ['prlimit', '--stack=8000', ...launcher];
    await checkTool({ ...toolCase, launcher: withoutStack, name: 'crash', fixture: 'clean', targets: ['bin/run.sh'] });
  });
});
