import { describe, it } from 'vitest';
import { golangciLint } from '../../../src/engines/program/golangci-lint.ts';
import { checkReplays } from '../support/replay-tool.ts';

describe('programs that cannot be had here, replayed', () => {
  it('golangci-lint is given what the documentation of its version asks for, and is read as its recordings expect', async () => {
    await checkReplays({ spec: golangciLint, launcherLength: 1 });
  });
});
