import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCommandAgent } from '../../../src/adapters/agents/create-command-agent.ts';
import { parseOutput } from '../../../src/adapters/agents/parse-output.ts';
import { toProgramMount } from '../../../src/system/find-program.ts';
import { createSandboxFixture, type SandboxFixture } from '../sandbox/sandbox-fixture.ts';
import { aRequest } from './agent-request.ts';

let fixture: SandboxFixture;
let folder: string;

beforeAll(async () => {
  fixture = await createSandboxFixture();
  folder = join(fixture.root, 'data', 'agent');
  await mkdir(folder);
  await writeFile(join(folder, 'answer.txt'), 'from a file beside the script');
  await writeFile(
    join(folder, 'agent.sh'),
    `#!/bin/sh
cat > request.json
summary=$(cat "$(dirname "$0")/answer.txt")
echo "thinking about $1 as $AGENT_MODE"
echo "{\\"schema_version\\":1,\\"run_id\\":\\"run-1\\",\\"task_id\\":\\"task-1\\",\\"status\\":\\"success\\",\\"summary\\":\\"$summary\\"}"
`,
  );
  await chmod(join(folder, 'agent.sh'), 0o755);
  await symlink(join(folder, 'agent.sh'), join(fixture.root, 'linked-agent'));
});

afterAll(async () => {
  await fixture.remove();
});

const BASE = {
  name: 'command',
  endpoint: null,
  env: { PATH: '/usr/bin:/bin', AGENT_MODE: 'test' },
  siteRoot: '/workspace',
};

describe('createCommandAgent', () => {
  it('runs any program in the sandbox: request on stdin, result on stdout, files beside a linked script', async () => {
    const agent = createCommandAgent({ ...BASE, argv: [join(fixture.root, 'linked-agent'), 'it'] });
    const request = aRequest({ instructions: { system_prompt: 'Be brief.', task_prompt: 'Fix it.' } });
    const command = agent.command(request, null);

    const outcome = await fixture.run(command.argv, {
      env: command.env,
      stdin: command.stdin,
      mounts: [...agent.mounts(), { source: fixture.workDir, target: '/workspace', writable: true }],
    });

    expect(await agent.check()).toEqual({ kind: 'ok', version: null, isNewer: false });
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 });
    expect(outcome.stdoutTail).toContain('thinking about it as test');
    expect(agent.parseOutput({ stdout: outcome.stdoutTail }, request)).toEqual({
      kind: 'result',
      dropped: [],
      result: {
        schema_version: 1,
        run_id: 'run-1',
        task_id: 'task-1',
        status: 'success',
        summary: 'from a file beside the script',
      },
    });
    expect(JSON.parse(command.stdin)).toEqual(request);
  });

  it('mounts a script that a program of the system runs', () => {
    const agent = createCommandAgent({
      ...BASE,
      argv: ['sh', join(folder, 'agent.sh'), '/workspace/x', '/no/such/file'],
    });

    expect(agent.command(aRequest(), null)).toMatchObject({
      argv: [expect.stringMatching(/^\/usr\/bin\//), join(folder, 'agent.sh'), '/workspace/x', '/no/such/file'],
    });
    expect(agent.mounts()).toEqual([{ source: folder, target: folder, writable: false }]);
  });

  it.each([
    ['an empty command', []],
    ['a program that is not there', ['/no/such/agent']],
    ['a name that is nowhere', ['no-such-agent-anywhere']],
    ['a relative path', ['./agent.sh']],
    ['a file that cannot be executed', ['/etc/passwd']],
    ['a program of the pull request', ['/workspace/agent.sh']],
  ])('says that %s cannot be started, before anything is spent', async (_name, argv) => {
    const agent = createCommandAgent({ ...BASE, argv });

    expect(await agent.check()).toMatchObject({ kind: 'unavailable' });
    expect(() => agent.command(aRequest(), null)).toThrow('check the agent');
    expect(() => agent.mounts()).toThrow('check the agent');
  });

  it('refuses to send a request that does not keep the contract', () => {
    const agent = createCommandAgent({ ...BASE, argv: ['sh'] });

    expect(() => agent.command(aRequest({ instructions: { task_prompt: '' } }), null)).toThrow();
  });
});

describe('toProgramMount', () => {
  it.each([
    ['/usr/bin/sh', null],
    ['/opt/agent/bin/run', '/opt/agent/bin'],
    ['/home/me/agent.sh', '/home/me/agent.sh'],
    ['/root/agent.sh', '/root/agent.sh'],
    ['/agent.sh', '/agent.sh'],
    ['/home/me/agents/run', '/home/me/agents'],
  ])('brings %s in as %s', (path, source) => {
    expect(toProgramMount(path)?.source ?? null).toBe(source);
  });
});

describe('parseOutput', () => {
  const good = { schema_version: 1, run_id: 'run-1', task_id: 'task-1', status: 'success', summary: 'ok' };

  it('drops what it does not know, and names it (S25)', () => {
    const extra = { ...good, changes: { files_changed: ['a'], mood: 1 }, notes: {}, cost: 3 };

    expect(parseOutput({ stdout: JSON.stringify(extra) }, aRequest())).toEqual({
      kind: 'result',
      result: { ...good, changes: { files_changed: ['a'] }, notes: {} },
      dropped: ['changes.mood', 'cost'],
    });
  });

  it.each([
    ['another schema version', { schema_version: 2 }],
    ['a schema version as text', { schema_version: '1' }],
    ['another run', { run_id: 'run-2' }],
    ['another task', { task_id: 'task-2' }],
    ['an unknown status', { status: 'done' }],
    ['a status in capitals', { status: 'SUCCESS' }],
    ['a summary that is no text', { summary: { a: 1 } }],
    ['a missing summary', { summary: undefined }],
    ['a summary of a book', { summary: 'x'.repeat(20_000) }],
    ['an empty id', { run_id: '' }],
  ])('refuses %s', (_name, change) => {
    expect(parseOutput({ stdout: JSON.stringify({ ...good, ...change }) }, aRequest())).toMatchObject({
      kind: 'invalid',
    });
    const file = JSON.stringify({ ...good, ...change });
    expect(parseOutput({ stdout: '', file }, aRequest())).toMatchObject({ kind: 'invalid' });
  });

  it('does not repeat what the agent wrote when it says what is wrong', () => {
    const output = parseOutput({ stdout: JSON.stringify({ ...good, status: 'evil-text' }) }, aRequest());

    expect(JSON.stringify(output)).not.toContain('evil-text');
  });

  it('believes a result file rather than what was printed', () => {
    const stdout = JSON.stringify(good);
    const file = `${JSON.stringify({ ...good, status: 'failure', summary: 'in the file' }, null, 2)}\n`;

    expect(parseOutput({ stdout, file }, aRequest())).toMatchObject({ result: { summary: 'in the file' } });
    expect(parseOutput({ stdout: '', file: stdout }, aRequest())).toMatchObject({ kind: 'result', result: good });
    expect(parseOutput({ stdout }, aRequest())).toMatchObject({ kind: 'result', result: good });
  });

  it.each([
    ['that cannot be read', null],
    ['that is empty', ''],
    ['that is no JSON', 'evil-text'],
    ['that ends in the middle', JSON.stringify(good).slice(0, -1)],
    ['with text around its JSON', `done: ${JSON.stringify(good)}`],
    ['with two results', `${JSON.stringify(good)}\n${JSON.stringify(good)}`],
    ['with an array', `[${JSON.stringify(good)}]`],
    ['with null', 'null'],
    ['for another task', JSON.stringify({ ...good, task_id: 'other' })],
  ])('takes a result file %s for no success, whatever was printed', (_what, file) => {
    const output = parseOutput({ stdout: JSON.stringify(good), file }, aRequest());

    expect(output.kind).toBe('invalid');
    expect(JSON.stringify(output)).not.toContain('evil-text');
  });
});
