import { describe, it } from 'vitest';
import { mypy } from '../../../src/engines/python/mypy.ts';
import { pytest } from '../../../src/engines/python/pytest.ts';
import { ruff } from '../../../src/engines/python/ruff.ts';
import { checkReplays } from '../support/replay-tool.ts';

describe('tools of Python that cannot be had here, replayed', () => {
  it('ruff is given what its documentation asks for, and is read as its recordings expect', async () => {
    await checkReplays({ spec: ruff, launcherLength: 3 });
  });

  it('mypy is asked for JSON from 1.11 on, and is read as its recordings expect', async () => {
    await checkReplays({ spec: mypy, tool: 'mypy-json', launcherLength: 3 });
  });

  it('pytest is asked for a JSON report where its plugin is there, and is read as its recordings expect', async () => {
    const companions = ['pytest-cov', 'pytest-json-report'];
    await checkReplays({ spec: pytest, tool: 'pytest-json-report', companions, launcherLength: 3 });
  });
});
