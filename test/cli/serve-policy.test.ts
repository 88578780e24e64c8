import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/cli/serve.ts';

function startWith(policyFile: string) {
  const variables = { RATCHET_POLICY_FILE: policyFile, APP_ID: '', WEBHOOK_SECRET: 'a secret of the tests' };
  const stop = AbortSignal.abort();
  const nothing = { stdout: { write: () => undefined }, tell: () => undefined, fetch };
  return serve({ variables, ...nothing, isRoot: false, nodePath: process.execPath, version: '1.2.3', stop });
}

describe("the start with an operator's policy file", () => {
  it('ends with every problem of the file, beside those of the variables', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ratchet-operator-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'policy.yml');
    writeFileSync(path, 'ceilings:\n  maxAttempt: 5\n  mode: force\n');

    const { exitCode, stderr } = await startWith(path);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('APP_ID is required');
    expect(stderr).toContain(`RATCHET_POLICY_FILE: ${path}, line 2, column 3: unknown key "ceilings.maxAttempt"`);
    expect(stderr).toContain(`RATCHET_POLICY_FILE: ${path}, line 3, column 3: \`ceilings.mode\``);
  });

  it('ends where the file cannot be read: its ceilings must not be taken for none', async () => {
    const { exitCode, stderr } = await startWith('/none/policy.yml');

    expect(exitCode).toBe(2);
    expect(stderr).toContain('RATCHET_POLICY_FILE: there is no file');
  });
});
