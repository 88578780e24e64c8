import { access, chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestSession, HEAD_BRANCH, keepWorkspace, type TestSession } from '../support/git-repository.ts';

/** The whole way of a change, from the workspace to the remote: nothing that an agent left may run on it (T20 to T22). */
let session: TestSession;
let helper: string;
let record: string;

beforeEach(async () => {
  session = await createTestSession({ 'a.txt': 'a\n', 'lfs.bin': 'version https://git-lfs.github.com/spec/v1\n' });
  record = join(session.root, 'executed');
  helper = join(session.root, 'helper.sh');
  await writeFile(helper, `#!/bin/sh\necho "$0 $*" >> ${record}\ncat\n`);
  await chmod(helper, 0o755);
});

afterEach(async () => {
  await session.remove();
});

function inWork(...parts: readonly string[]): string {
  return join(session.workDir, ...parts);
}

function hostileConfig(program: string): string {
  return `
[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = ${program}
	hooksPath = ${session.root}
	sshCommand = ${program}
	pager = ${program}
	editor = ${program}
	attributesFile = ${session.root}/attributes
	alternateRefsCommand = ${program}
	gitProxy = ${program}
	worktree = /
[filter "evil"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[diff]
	external = ${program}
[diff "evil"]
	textconv = ${program}
	command = ${program}
[merge "evil"]
	driver = ${program}
[credential]
	helper = ${program}
[uploadpack]
	packObjectsHook = ${program}
[gpg]
	program = ${program}
[commit]
	gpgSign = true
[trailer "x"]
	command = ${program}
[alias]
	add = !${program}
	diff-tree = !${program}
[include]
	path = ${session.root}/more-config
[remote "origin"]
	url = ext::${program}
	uploadpack = ${program}
	receivepack = ${program}
	vcs = evil
[url "ext::${program} "]
	insteadOf = file://
[submodule]
	recurse = true
`;
}

async function runWholeWay(): Promise<void> {
  const { git, repository, signal, remote, runId, headSha } = session;
  const commitSha = await keepWorkspace(session);
  await git.listFiles(repository, signal);
  await git.readFiles(repository, { treeish: commitSha, paths: ['a.txt'], maxBytes: 1000 }, signal);
  const tree = await git.importTree(
    repository,
    { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: repository.headSha },
    signal,
  );
  const folder = join(session.workDir, '..', 'validate');
  await git.placeTree(repository, { treeSha: tree.treeSha, folder, masked: [], hasHistory: false }, signal);
  const push = { runId, commitSha, branch: HEAD_BRANCH, oldSha: headSha };
  await git.pushKept(repository.mirror, push, remote.access, signal);
  await git.sweep({ live: [runId], held: [] }, signal);
}

async function expectNothingRan(): Promise<void> {
  await expect(access(record)).rejects.toMatchObject({ code: 'ENOENT' });
}

describe('a hostile workspace', () => {
  it('runs nothing from its own git configuration, attributes and hooks (T20, T22, security decision 4)', async () => {
    await writeFile(inWork('.git/config'), hostileConfig(helper));
    await writeFile(join(session.root, 'attributes'), '* filter=evil diff=evil merge=evil\n');
    await writeFile(inWork('.gitattributes'), '* filter=evil diff=evil merge=evil ident\n*.bin filter=lfs\n');
    await mkdir(inWork('.git/hooks'), { recursive: true });
    await mkdir(inWork('.git/info'), { recursive: true });
    await writeFile(inWork('.git/info/attributes'), '* filter=evil diff=evil\n');
    for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'pre-push']) {
      await writeFile(inWork('.git/hooks', hook), `#!/bin/sh\necho hook >> ${record}\n`);
      await chmod(inWork('.git/hooks', hook), 0o755);
    }
    await writeFile(inWork('a.txt'), 'changed\n');
    await writeFile(inWork('lfs.bin'), 'changed\n');

    await runWholeWay();

    await expectNothingRan();
  });

  it('would run its helpers if git were let into it: the battery itself works', async () => {
    await writeFile(inWork('.git/config'), `[core]\n\tfsmonitor = ${helper}\n`);
    const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

    await execa('git', ['status'], { cwd: inWork(), env, extendEnv: false, reject: false, stdin: 'ignore' });

    expect(await readFile(record, 'utf8')).toContain('helper.sh');
  });

  it.each([
    ['a folder', 'deep/er/.git'],
    ['another case', 'deep/.GIT'],
    ['another case at the top', '.Git'],
    ['beside a name that is no UTF-8', 'deep/er/.git'],
  ])('removes a nested repository: %s (T21)', async (name, path) => {
    if (name.includes('UTF-8')) {
      await execa('bash', ['-c', `mkdir -p $'bad\\xff/x/.git/objects' $'bad\\xff/x/.git/refs'`], { cwd: inWork() });
    }
    await mkdir(inWork(path, 'objects'), { recursive: true });
    await mkdir(inWork(path, 'refs'), { recursive: true });
    await writeFile(inWork(path, 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(inWork(path, 'config'), hostileConfig(helper));
    await writeFile(inWork(path, '..', 'dirty.txt'), 'x\n');

    const { changes } = await session.git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: session.headSha },
      session.signal,
    );
    await runWholeWay();

    expect(changes.filter(({ newMode }) => newMode === '160000')).toEqual([]);
    expect(changes.map((change) => change.path)).toContain(join(path, '..', 'dirty.txt'));
    await expect(access(inWork(path))).rejects.toMatchObject({ code: 'ENOENT' });
    await expectNothingRan();
  });

  it('removes a .git file that points elsewhere, and a .git link without following it', async () => {
    const outside = join(session.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'keep'), 'x');
    await mkdir(inWork('one'));
    await mkdir(inWork('two'));
    await writeFile(inWork('one/.git'), `gitdir: ${session.remote.gitDir}\n`);
    await symlink(outside, inWork('two/.git'));
    await symlink(outside, inWork('linked'));
    await mkdir(join(outside, '.git'));

    const { changes } = await session.git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: session.headSha },
      session.signal,
    );

    expect(changes.map(({ path, newMode }) => [path, newMode])).toEqual([['linked', '120000']]);
    await access(join(outside, 'keep'));
    await access(join(outside, '.git'));
  });

  it('does not hang on a pipe or a socket in the place of a file', async () => {
    await execa('mkfifo', [inWork('pipe')]);
    await execa('bash', ['-c', 'rm a.txt && mkfifo a.txt'], { cwd: inWork() });

    const { changes } = await session.git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: session.headSha },
      session.signal,
    );

    expect(changes.map(({ kind, path }) => [kind, path])).toEqual([['deleted', 'a.txt']]);
  });

  it('shows a new submodule of the pull request as what it is, for the judge', async () => {
    // An index entry of this kind cannot come from files; only a head that has one shows it.
    await session.remove();
    session = await createTestSession({ sub: { mode: '160000', text: '1'.repeat(40) }, 'a.txt': 'a\n' });
    await writeFile(inWork('sub/file'), 'x');

    const { changes } = await session.git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: session.headSha },
      session.signal,
    );

    expect(changes).toEqual([]);
  });
});

describe('a hostile object store', () => {
  it('cannot change the mirror through the objects of a workspace', async () => {
    const { mirror } = session.repository;
    const before = await hashTree(mirror.objectsDir);
    await execa('bash', ['-c', 'rm -rf .git/objects && mkdir -p .git/objects && echo x > .git/objects/x'], {
      cwd: inWork(),
    });
    await writeFile(inWork('a.txt'), 'changed\n');

    const { changes } = await session.git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: session.headSha },
      session.signal,
    );

    expect(changes.map(({ path }) => path)).toEqual(['a.txt']);
    expect(await hashTree(mirror.objectsDir)).toBe(before);
  });
});

async function hashTree(folder: string): Promise<string> {
  const { stdout } = await execa('bash', ['-c', 'find . -type f | sort | xargs sha256sum'], { cwd: folder });
  return stdout;
}
