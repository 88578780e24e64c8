import { execa } from 'execa';
import { expect, it } from 'vitest';
import { toBranchRef } from '../../../src/adapters/git/branch-ref.ts';
import { createRunGit, type RunGit } from '../../../src/adapters/git/run-git.ts';
import { NEVER } from '../../support/never.ts';

const PLAIN = ['main', 'feature/rework', 'a-b/c_d/9', 'HEAD', '_', '9', 'refs/heads/main', 'a-', 'FETCH_HEAD', 'lock'];
const ODD = [
  ...[
    'v1.2',
    'a.lock',
    'a..b',
    '.a',
    'a.',
    'a/.b',
    'a//b',
    '/a',
    'a/',
    '-a',
    'a/-b',
    '@',
    'a@{b',
    'a b',
    'a\n',
    'a\n\n',
  ],
  ...[
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'ä',
    'a\u2028',
    'a\u0007',
    'a.lock/b',
    '--upload-pack=x',
    '$(id)',
    '+a',
  ],
];

const run = createRunGit({
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  transports: { allowFile: false, plainHttpHosts: [] },
  ceiling: '/',
});

/** What git itself says of the name. */
async function isAllowed(branch: string): Promise<boolean> {
  const { exitCode } = await execa('git', ['check-ref-format', `refs/heads/${branch}`], { reject: false });
  return exitCode === 0;
}

async function check(branch: string): Promise<{ readonly ref: string | null; readonly asked: number }> {
  let asked = 0;
  const counting: RunGit = (call, signal) => {
    asked += 1;
    return run(call, signal);
  };
  const ref = await toBranchRef(counting, branch, '/', NEVER).catch(() => null);
  return { ref, asked };
}

it.each(PLAIN)('takes %j without asking git, which allows it too', async (branch) => {
  expect(await check(branch)).toEqual({ ref: `refs/heads/${branch}`, asked: 0 });
  expect(await isAllowed(branch)).toBe(true);
});

it.each(ODD)('lets git say whether %j is a name of a branch', async (branch) => {
  expect(await check(branch)).toEqual({ ref: (await isAllowed(branch)) ? `refs/heads/${branch}` : null, asked: 1 });
});
