import { globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, readDocument } from '../docs/read-document.ts';

const PROJECT = join(import.meta.dirname, '../..');
const MAIN = join(PROJECT, 'src/main.ts');

/** Blocks of commands that are run, each with where it stands. */
const RUN = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md').toSorted()].flatMap((path) =>
  readDocument(readFileSync(path, 'utf8'))
    .blocks.filter(({ language, notRun }) => language === 'sh' && notRun === null)
    .map((block) => ({ where: `${path}:${String(block.line)}`, block })),
);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-docs-'));
  await mkdir(join(folder, 'bin'));
  const program = join(folder, 'bin/ratchet');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await chmod(program, 0o755);
  await makeRepository(join(folder, 'repository'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ENGINE = '{ command: ["/bin/true"], format: jsonl, emptyMeansClean: true, globs: ["**/*.ts"], targets: project }';

/** What a reader has in front of them: a checkout with a policy, a plan, and a merge in which a conflict was left. */
async function makeRepository(path: string): Promise<void> {
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(join(path, name, '..'), { recursive: true });
    await writeFile(join(path, name), text);
  };
  const git = async (...args: readonly string[]): Promise<void> => {
    const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    await execa('git', [...person, ...args], { cwd: path });
  };
  const commit = async (message: string): Promise<void> => {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
  };
  await mkdir(path);
  await git('init', '--quiet', '--initial-branch', 'main');
  await write('.github/ratchet.yml', `version: 1\nengines:\n  own: ${ENGINE}\n`);
  await write('src/a.ts', 'export const a = 0;\n');
  await write('plan.json', findPlan());
  await commit('one');
  await git('switch', '--quiet', '--create', 'feature');
  await write('src/a.ts', 'export const a = 1;\n');
  await commit('two');
  await git('switch', '--quiet', 'main');
  await write('src/a.ts', 'export const a = 2;\n');
  await commit('three');
  await git('switch', '--quiet', 'feature');
  await git('merge', 'main').catch(() => undefined);
  await commit('Merge main, with the conflict left as it is');
}

/** The example of the manual of plans. */
function findPlan(): string {
  const { blocks } = readDocument(readFileSync('docs/plans.md', 'utf8'));
  return blocks.find(({ language, text }) => language === 'json' && text.includes('"step_id"'))?.text ?? '';
}

/** As somebody would who copies the block into a terminal, in a fresh checkout. */
async function runBlock(
  text: string,
): Promise<{ readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }> {
  const place = await mkdtemp(join(folder, 'place-'));
  const cwd = join(place, 'checkout');
  await cp(join(folder, 'repository'), cwd, { recursive: true });
  const PATH = [join(folder, 'bin'), join(PROJECT, 'node_modules/node/bin'), process.env['PATH']].join(delimiter);
  const { exitCode, stdout, stderr } = await execa('sh', ['-e', '-c', text], {
    cwd,
    env: { PATH, HOME: place, NO_COLOR: '1' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode, stdout, stderr };
}

async function check({ text, exitCode, next }: Block): Promise<void> {
  const ran = await runBlock(text);

  expect(ran.exitCode, `${text}\n${ran.stderr}`).toBe(exitCode);
  if (next?.language === 'json') expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(next.text));
}

describe('the commands of the documents', () => {
  it('are run, at least those that need nothing but a checkout', () => {
    expect(RUN.length).toBeGreaterThan(8);
  });

  it.each(RUN)('$where do what they should', async ({ block }) => {
    await check(block);
  });
});

describe('a command that is wrong', () => {
  const toBlock = (text: string): Block => {
    const [block] = readDocument(text).blocks;
    if (block === undefined) throw new Error('no block');
    return block;
  };

  it.each([
    ['is unknown', '```sh\nratchet doctr\n```'],
    ['fails in the middle of a block', '```sh\nratchet config validate gone.yml\nratchet --version\n```'],
    ['does not fail as its mark says', '<!-- exits 1: there is always a finding -->\n\n```sh\nratchet check\n```'],
    [
      'prints another result than the page shows',
      '```sh\necho /ratchet stop | ratchet explain command\n```\n\n```json\n{ "commands": [], "unread": [] }\n```',
    ],
  ])('is found if it %s', async (_what, text) => {
    await expect(check(toBlock(text))).rejects.toThrow();
  });
});
