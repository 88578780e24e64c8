import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundlePlanner } from '../../../scripts/build/bundle-planner.ts';
import { createPlannerAgent } from '../../../src/adapters/agents/create-planner-agent.ts';
import type { HostAgent } from '../../../src/adapters/agents/host-agent.ts';
import { DIALECTS, type Dialect } from '../../../src/core/model/model-use.ts';
import type { AgentEvent } from '../../../src/ports/agent.ts';
import { startModels } from '../../../world/models/start-models.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { aRequest } from './agent-request.ts';

const REQUEST = aRequest({
  targets: { files: ['sum.js'], test_ids: [], modules: [] },
});
const SUM = 'export const sum = (a, b) => a - b;\n';
const FIX = { step_id: 'fix', action_type: 'modify_file', params: { path: 'sum.js', old: 'a - b', new: 'a + b' } };
const run = (id: string, after: string, ...argv: readonly string[]): object => ({
  ...{ step_id: id, action_type: 'run_command', depends_on: [after], params: { argv } },
});

let root: string;
let remove: () => Promise<void>;
let program: string;
let count = 0;

beforeAll(async () => {
  ({ path: root, remove } = await createTempFolder());
  program = join(root, 'planner-program.mjs');
  await bundlePlanner(program);
});

afterAll(() => remove());

function anAgent(siteRoot: string, dialect: Dialect, plannerProgram = program): HostAgent {
  const endpoint = {
    ...{ name: 'planner', dialect, url: 'http://127.0.0.1:1', keyFile: '/none', models: ['m'] },
    ...{ prices: {}, maxOutputTokens: 1000 },
  };
  return createPlannerAgent({ name: 'planner', endpoint, siteRoot, nodePath: process.execPath, plannerProgram });
}

interface Ran {
  readonly exitCode: number | null;
  readonly events: readonly AgentEvent[];
  readonly output: ReturnType<HostAgent['parseOutput']>;
  readonly folder: string;
  readonly calls: number;
  readonly prompt: string;
}

/** Runs the program over a folder, without a sandbox, and with a model that answers this. */
async function play(
  answer: unknown,
  { dialect = 'anthropic', maxUsd = 0.5 }: { readonly dialect?: Dialect; readonly maxUsd?: number } = {},
): Promise<Ran> {
  count += 1;
  const [folder, home] = [join(root, `work-${String(count)}`), join(root, `home-${String(count)}`)];
  await mkdir(join(folder, '.git/hooks'), { recursive: true });
  await mkdir(home);
  await writeFile(join(folder, 'sum.js'), SUM);
  await writeFile(join(folder, '.gitignore'), 'dist/\n');
  const end = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const models = await startModels({ key: 'the-token', script: { steps: [], end } });
  try {
    const agent = anAgent(folder, dialect);
    const model = { address: models.url, token: 'the-token', model: 'm', maxUsd };
    const { argv, env, stdin } = agent.command(REQUEST, model);
    const [file = '', ...args] = argv;
    const child = spawn(file, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(stdin);
    const reader = agent.newEventReader();
    const events: AgentEvent[] = [];
    child.stdout.on('data', (chunk: Buffer) => events.push(...reader.push(chunk)));
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const output = agent.parseOutput({ stdout }, REQUEST);
    const prompt = models.calls()[0]?.body ?? '';
    return { exitCode: child.exitCode, events, output, folder, calls: models.calls().length, prompt };
  } finally {
    await models.close();
  }
}

const result = ({ output }: Ran): unknown => (output.kind === 'result' ? output.result : output);
/** All that is in the folder, and what is in the file. */
const tree = async ({ folder }: Ran): Promise<readonly [string[], string]> => [
  (await readdir(folder, { recursive: true })).toSorted(),
  await readFile(join(folder, 'sum.js'), 'utf8'),
];
const BEFORE = [['.git', '.git/hooks', '.gitignore', 'sum.js'], SUM] as const;

describe('an agent that plans (004.R33)', () => {
  it.each(DIALECTS)('has its model’s plan carried out: %s', async (dialect) => {
    const check = run(
      'check',
      'fix',
      'node',
      '-e',
      "if(!require('fs').readFileSync('sum.js','utf8').includes('+'))throw 1",
    );
    const ran = await play({ steps: [FIX, check], summary: 'It adds.' }, { dialect });

    expect(result(ran)).toEqual({
      ...{ schema_version: 1, run_id: 'run-1', task_id: 'task-1', status: 'success' },
      summary: 'It adds.',
    });
    expect(ran.exitCode).toBe(0);
    expect(await tree(ran)).toEqual([BEFORE[0], SUM.replace('-', '+')]);
    expect(ran.events.map((event) => (event.kind === 'doing' ? event.what : event.kind))).toEqual([
      ...['thinking', 'editing', 'running', 'plan', 'final'],
    ]);
    expect(ran.events.find(({ kind }) => kind === 'plan')).toMatchObject({
      steps: [
        { step: { step_id: 'fix', params: {} }, result: { state: 'completed' } },
        { step: { step_id: 'check', depends_on: ['fix'] }, result: { state: 'completed' } },
      ],
    });
    expect(ran.prompt).toContain('a - b;');
    expect(ran.prompt).toContain('run_command');
  });

  it('does every action on files', async () => {
    const ran = await play({
      steps: [
        { step_id: 1, action_type: 'create_file', params: { path: 'bin/new.sh', content: 'echo', mode: '100755' } },
        { step_id: 2, action_type: 'read_file', depends_on: [1], params: { path: 'bin/new.sh' } },
        {
          step_id: 3,
          action_type: 'modify_file',
          depends_on: [2],
          params: { path: 'bin/new.sh', content: 'echo 1\n' },
        },
        { step_id: 4, action_type: 'delete_file', params: { path: 'sum.js' } },
      ],
    });
    expect(result(ran)).toMatchObject({ status: 'success' });
    expect(await readFile(join(ran.folder, 'bin/new.sh'), 'utf8')).toBe('echo 1\n');
    expect((await lstat(join(ran.folder, 'bin/new.sh'))).mode & 0o111).toBe(0o111);
    expect(await readdir(ran.folder)).not.toContain('sum.js');
  });

  it.each([
    ['../x', /\.\./u],
    ['/etc/x', /absolute/u],
    ['.git/hooks/pre-commit', /git/u],
    ['a/.GIT/config', /git/u],
  ])('leaves the workspace by no path: %s', async (path, why) => {
    const bad = { step_id: 'bad', action_type: 'create_file', depends_on: ['fix'], params: { path, content: 'x' } };
    const ran = await play({ steps: [FIX, bad] });
    expect(result(ran)).toMatchObject({ status: 'failure' });
    expect(JSON.stringify(result(ran))).toMatch(why);
    expect(await tree(ran)).toEqual(BEFORE);
    expect(await readdir(root)).not.toContain('x');
  });

  it('leaves the workspace by no link that a command makes', async () => {
    const outside = join(root, `outside-${String(count)}`);
    await mkdir(outside);
    const write = {
      ...{ step_id: 'write', action_type: 'create_file', depends_on: ['link'] },
      params: { path: 'out/x', content: 'x' },
    };
    const ran = await play({ steps: [FIX, run('link', 'fix', 'ln', '-s', outside, 'out'), write] });
    expect(result(ran)).toMatchObject({ status: 'failure' });
    expect(await tree(ran)).toEqual(BEFORE);
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([true, false])('restores everything if a step fails half-way, whatever it says: %s', async (rolls) => {
    const make = run('make', 'fix', 'sh', '-c', 'mkdir -p dist new; echo x > new/a; echo y > dist/b; chmod 600 sum.js');
    const fails = { ...run('fails', 'make', 'sh', '-c', 'echo no test >&2; exit 3'), rollback_on_fail: rolls };
    const ran = await play({ steps: [FIX, make, fails, run('never', 'fails', 'touch', 'never')] });

    const said = result(ran);
    expect(said).toMatchObject({ status: 'failure' });
    expect(JSON.stringify(said)).toContain('The plan was undone: step \\"fails\\" failed (ACTION_FAILED)');
    const [names, sum] = await tree(ran);
    expect(names.filter((name) => !name.startsWith('dist'))).toEqual(BEFORE[0]);
    expect(sum).toBe(SUM);
    expect((await lstat(join(ran.folder, 'sum.js'))).mode & 0o777).toBe(0o644);
  });

  it('stops at the budget of the session, and keeps nothing', async () => {
    const dear = { ...run('dear', 'fix', 'touch', 'dear'), estimate_usd: 0.4 };
    const ran = await play({ steps: [FIX, dear], budget_usd: 0.3 }, { maxUsd: 0.3 });
    expect(JSON.stringify(result(ran))).toContain('does not fit into the budget (BUDGET)');
    expect(await tree(ran)).toEqual(BEFORE);
  });

  it('carries out no plan that is wrong twice', async () => {
    const ran = await play({ steps: [{ ...FIX, depends_on: ['fix'] }] });
    expect(result(ran)).toMatchObject({ status: 'failure', summary: 'PLAN_INVALID: Step "fix" needs itself.' });
    expect(ran.calls).toBe(2);
    expect(await tree(ran)).toEqual(BEFORE);
  });

  it('gives no command the token of its model', async () => {
    const env = run('env', 'fix', 'sh', '-c', 'env > seen');
    const ran = await play({ steps: [FIX, env] });
    expect(result(ran)).toMatchObject({ status: 'success' });
    const seen = await readFile(join(ran.folder, 'seen'), 'utf8');
    expect(seen).toContain('PATH=');
    expect(seen).not.toContain('the-token');
  });

  it('says which file is missing', async () => {
    const check = (path?: string): Promise<unknown> => anAgent(root, 'openai', path).check();
    expect(await check()).toMatchObject({ kind: 'ok' });
    expect(await check('/none/planner-program.mjs')).toEqual({
      ...{ kind: 'unavailable', why: 'the program of the planner is missing: /none/planner-program.mjs' },
    });
  });
});
