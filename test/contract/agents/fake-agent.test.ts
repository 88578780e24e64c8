import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFakeAgent } from '../../../src/adapters/agents/create-fake-agent.ts';
import type { HostAgent } from '../../../src/adapters/agents/host-agent.ts';
import { prepareToolsDir } from '../../../src/adapters/sandbox/prepare-tools-dir.ts';
import type { AgentRequest } from '../../../src/core/model/agent-contract.ts';
import type { AgentOutput } from '../../../src/ports/agent.ts';
import type { SandboxCommand, SandboxOutcome } from '../../../src/ports/sandbox.ts';
import { createSandboxFixture, createTestIds, type SandboxFixture } from '../sandbox/sandbox-fixture.ts';
import { aRequest } from './agent-request.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/adapters/agents/fake-agent-program.mjs');

let fixture: SandboxFixture;
let agent: HostAgent;
let scriptPath: string;

beforeAll(async () => {
  fixture = await createSandboxFixture();
  const dataDir = join(fixture.root, 'data');
  const tools = await prepareToolsDir({
    dataDir,
    nodePath: process.execPath,
    programs: [PROGRAM],
    newId: createTestIds(),
  });
  const [programPath = ''] = tools.programPaths;
  scriptPath = join(dataDir, 'script.json');
  await writeFile(scriptPath, '{}');
  const env = { PATH: `${tools.toolsDir}/bin:/usr/bin:/bin`, HOME: '/home/agent' };
  agent = createFakeAgent({ name: 'fake', scriptPath, nodePath: tools.nodePath, programPath, env });
});

afterAll(async () => {
  await fixture.remove();
});

beforeEach(async () => {
  await rm(fixture.workDir, { recursive: true, force: true });
  await mkdir(join(fixture.workDir, 'src'), { recursive: true });
  await writeFile(join(fixture.workDir, 'src/sum.js'), 'return a - b;\n');
  await writeFile(join(fixture.workDir, 'old.txt'), 'old\n');
  await fixture.sandbox.giveToSlot(fixture.workDir, fixture.slot);
});

async function play(
  script: unknown,
  request: AgentRequest = aRequest(),
  change?: Partial<SandboxCommand>,
): Promise<{ readonly outcome: SandboxOutcome; readonly output: AgentOutput }> {
  await writeFile(scriptPath, JSON.stringify(script));
  const command = agent.command(request, null);
  const mounts = [...agent.mounts(), { source: fixture.workDir, target: '/workspace', writable: true }];
  const outcome = await fixture.run(command.argv, { env: command.env, stdin: command.stdin, mounts, ...change });
  return { outcome, output: agent.parseOutput({ stdout: outcome.stdoutTail }, request) };
}

function read(path: string): Promise<string> {
  return readFile(join(fixture.workDir, path), 'utf8');
}

describe('the fake agent', () => {
  it('changes files as its script says and reports success', async () => {
    const steps = [
      { do: 'edit', file: 'src/sum.js', find: 'a - b', replace: 'a + b' },
      { do: 'write', file: 'new/file.txt', text: 'new\n' },
      { do: 'delete', file: 'old.txt' },
      { do: 'chmod', file: 'new/file.txt', mode: '755' },
      { do: 'symlink', file: 'link', target: '/etc/passwd' },
      { do: 'mkdir-git', folder: 'nested' },
      { do: 'print', text: 'working on it\n' },
      { do: 'result', status: 'success', summary: 'fixed the sign' },
    ];

    const { outcome, output } = await play({ steps });

    expect(await agent.check()).toEqual({ kind: 'ok', version: null, isNewer: false });
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stderrTail: '' });
    expect(output).toMatchObject({ kind: 'result', result: { status: 'success', summary: 'fixed the sign' } });
    expect(await read('src/sum.js')).toBe('return a + b;\n');
    expect((await stat(join(fixture.workDir, 'new/file.txt'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(fixture.workDir, 'link'))).toBe('/etc/passwd');
    expect(await read('nested/.git/config')).toContain('fsmonitor');
    await expect(stat(join(fixture.workDir, 'old.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('answers the items of a review by what their evidence holds', async () => {
    const evidence = join(fixture.workDir, 'evidence');
    await mkdir(evidence);
    for (const [name, text] of [
      ['item-1', 'Rename it.'],
      ['item-2', 'Why not?'],
      ['item-3', 'Hm.'],
    ] as const) {
      await writeFile(join(evidence, `${name}.json`), text);
    }
    const findings_refs = ['item-1', 'item-2', 'item-3'].map((name) => `/workspace/evidence/${name}.json`);
    const request = aRequest({ context: { ...aRequest().context, findings_refs } });
    const some = [
      { when: 'Rename', status: 'fixed' },
      { when: 'Why', status: 'declined', reason: 'It is right.' },
    ];

    const answered = await play({ steps: [{ do: 'result', answers: some }] }, request);
    const all = await play({ steps: [{ do: 'result', answers: [{ status: 'needs_human' }] }] }, request);

    expect(answered.output).toMatchObject({
      result: {
        answers: [
          { id: 'item-1', status: 'fixed', reason: 'as scripted' },
          { id: 'item-2', status: 'declined', reason: 'It is right.' },
        ],
      },
    });
    expect(all.output).toHaveProperty('result.answers.length', 3);
  });

  it('chooses its steps by the number of the attempt', async () => {
    const script = {
      byAttempt: [{ steps: [{ do: 'result', status: 'failure' }] }, { steps: [{ do: 'result', status: 'blocked' }] }],
    };
    const context = aRequest().context;

    const first = await play(script);
    const second = await play(script, aRequest({ context: { ...context, previous_attempt_refs: ['1'] } }));
    const third = await play(script, aRequest({ context: { ...context, previous_attempt_refs: ['1', '2'] } }));

    expect([first, second, third].map(({ output }) => output)).toMatchObject([
      { result: { status: 'failure' } },
      { result: { status: 'blocked' } },
      { result: { status: 'blocked' } },
    ]);
  });

  it('chooses its steps by what a file contains', async () => {
    const script = {
      cases: [
        { when: { file: 'src/sum.js', contains: 'a * b' }, steps: [{ do: 'crash', exitCode: 1 }] },
        { when: { missing: 'old.txt' }, steps: [{ do: 'crash', exitCode: 2 }] },
        { when: { file: 'src/sum.js', lacks: 'a + b', prompt: 'tests' }, steps: [{ do: 'crash', exitCode: 3 }] },
      ],
    };

    expect((await play(script)).outcome.exitCode).toBe(3);
  });

  it.each([
    ['no result', [{ do: 'none' }], { kind: 'exited', exitCode: 0 }, 'invalid'],
    ['two results', [{ do: 'two-results' }], { kind: 'exited', exitCode: 0 }, 'invalid'],
    ['a result for another task', [{ do: 'result', override: { task_id: 'other' } }], { kind: 'exited' }, 'invalid'],
    ['a crash', [{ do: 'crash', exitCode: 7 }], { kind: 'exited', exitCode: 7 }, 'invalid'],
    ['an unknown step', [{ do: 'dance' }], { kind: 'exited', exitCode: 70 }, 'invalid'],
    [
      'an edit that finds nothing',
      [{ do: 'edit', file: 'old.txt', find: 'x', replace: 'y' }],
      { exitCode: 70 },
      'invalid',
    ],
    ['a hang', [{ do: 'hang', ignoreSigterm: true }], { kind: 'timed_out', processesLeft: 0 }, 'invalid'],
    ['a flood', [{ do: 'flood', bytes: 3_000_000 }], { kind: 'output_flood', processesLeft: 0 }, 'invalid'],
    ['a daemon', [{ do: 'spawn-daemon' }], { kind: 'exited', exitCode: 0, processesLeft: 0 }, 'result'],
  ])('plays %s', async (name, steps, expected, kind) => {
    const { outcome, output } = await play({ steps }, aRequest(), { timeoutMs: name === 'a hang' ? 1500 : 60_000 });

    expect(outcome).toMatchObject(expected);
    expect(output.kind).toBe(kind);
  });

  it('waits for a request that comes late', async () => {
    await writeFile(scriptPath, JSON.stringify({ steps: [{ do: 'none' }] }));
    const child = spawn(process.execPath, [PROGRAM, scriptPath], { cwd: fixture.workDir, stdio: 'pipe' });
    const ended = once(child, 'exit');
    const isOpened = async (): Promise<boolean> => {
      const flags = /^flags:\s+(\d+)$/mu.exec(await readFile(`/proc/${String(child.pid)}/fdinfo/0`, 'utf8'))?.[1] ?? '';
      return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0;
    };
    await expect.poll(isOpened, { timeout: 60_000 }).toBe(true);

    child.stdin.end(JSON.stringify(aRequest()));

    expect(await ended).toEqual([0, null]);
  });

  it('says which of its files is missing', async () => {
    const broken = createFakeAgent({
      name: 'fake',
      scriptPath: '/no/script',
      nodePath: process.execPath,
      programPath: PROGRAM,
      env: {},
    });

    expect(await broken.check()).toEqual({ kind: 'unavailable', why: 'the fake agent needs the file /no/script' });
    expect(() => broken.mounts()).toThrow('check the agent');
  });
});

describe('prepareToolsDir', () => {
  it('is idempotent, also when it runs twice at once, and leaves no half-made file', async () => {
    const options = { dataDir: join(fixture.root, 'other'), nodePath: process.execPath, newId: createTestIds() };

    const [one, two] = await Promise.all([prepareToolsDir(options), prepareToolsDir(options)]);

    expect(one).toEqual(two);
    expect((await stat(one.nodePath)).mode & 0o555).toBe(0o555);
    expect(await import('node:fs/promises').then((fs) => fs.readdir(join(one.toolsDir, 'bin')))).toEqual(['node']);
  });

  it('refuses what is no Node', async () => {
    const options = { dataDir: fixture.root, nodePath: '/bin/echo', newId: createTestIds() };

    await expect(prepareToolsDir(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
