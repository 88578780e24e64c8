import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withCauses } from '../support/run-report.ts';
import { createRunStage, type RunStage, toRunJson } from '../support/run-stage.ts';

let stage: RunStage;
beforeEach(async () => {
  stage = await createRunStage();
  await stage.write({
    '.github/ratchet.yml': `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
`,
    'src/one.mjs': 'export const one = () => 0;\n',
    'test/one.test.mjs': `import test from 'node:test';
import assert from 'node:assert/strict';
import { one } from '../src/one.mjs';
test('is one', () => assert.equal(one(), 1));
`,
  });
  await stage.commit();
});
afterEach(async () => stage.remove());

const MEND = "sed -i 's/=> 0/=> 1/' src/one.mjs";
const script = async (...commands: readonly string[]): Promise<void> =>
  stage.script({ steps: commands.map((command) => ({ do: 'run', command })) });
const run = async () => stage.ratchet('run', '--repo', 'repo', '--json');
const green = { status: 'succeeded', final: { findings: 0 } };

describe('a checkout', () => {
  it('with a detached HEAD, links that leave it, and hooks and settings that would run is worked on as it is, and none runs', async () => {
    await symlink('/etc/passwd', join(stage.repo, 'outside'));
    await symlink('..', join(stage.repo, 'test/up'));
    await stage.write({ '.gitattributes': '* filter=bad\n' });
    await stage.commit();
    await stage.git('checkout', '--quiet', '--detach');
    const head = await stage.git('rev-parse', 'HEAD');
    const mark = `touch ${join(stage.root, 'ran')}`;
    for (const hook of ['post-checkout', 'post-commit', 'post-index-change', 'reference-transaction']) {
      const path = join(stage.repo, '.git/hooks', hook);
      await writeFile(path, `#!/bin/sh\n${mark}\n`);
      await chmod(path, 0o755);
    }
    const config = join(stage.repo, '.git/config');
    const usual = await readFile(config, 'utf8');
    const bad = `[filter "bad"]\n\tsmudge = ${mark}\n\tclean = ${mark}\n[core]\n\tfsmonitor = ${mark}\n\tsshCommand = ${mark}\n\tpager = ${mark}\n[diff]\n\texternal = ${mark}\n`;
    await writeFile(config, `${usual}${bad}`);
    await script(MEND);

    const json = toRunJson(await run());

    expect(json).toMatchObject(green);
    expect(await readdir(stage.root)).not.toContain('ran');
    await writeFile(config, `${usual}[core]\n\thooksPath = /dev/null\n`);
    expect([
      await stage.git('rev-parse', 'HEAD'),
      await stage.git('diff', '--name-only', 'HEAD', json.branch ?? ''),
    ]).toEqual([head, 'src/one.mjs']);
  });

  it('that is moved away while a run works costs nothing: its branch is added once it is back', async () => {
    await script(MEND);

    const lost = await stage.actAt(/attempt 1:/u, ['run', '--repo', 'repo', '--json'], async () =>
      rename(stage.repo, `${stage.repo}-away`),
    );

    expect([lost.exitCode, lost.stdout]).toEqual([3, '']);
    expect(lost.stderr).toMatch(/ratchet: run: the branch ratchet\/run-\w+ cannot be added to \S+: ENOENT: .+\n/u);
    expect(lost.stderr).not.toContain('    at ');
    const id = /go on with: ratchet run --repo repo --resume (?<id>\w+)\n$/u.exec(lost.stderr)?.groups?.['id'] ?? '';
    await rename(`${stage.repo}-away`, stage.repo);
    const found = toRunJson(await stage.ratchet('run', '--repo', 'repo', '--resume', id, '--json'));
    expect(found).toMatchObject({ ...green, branch: `ratchet/run-${id}` });
    expect(found.tasks.map(({ attempts }) => attempts.length)).toEqual([1]);
  });

  it('is worked on by one run at a time: a second one says so, and the first goes on', async () => {
    await stage.script({ steps: [{ do: 'hang' }] });
    let second: Awaited<ReturnType<typeof run>> | null = null;

    const first = await stage.stopAt(/attempt 1:/u, ['run', '--repo', 'repo', '--json'], async () => {
      second = await run();
    });

    expect(second).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.stringify(second)).toContain('another run is at work on');
    expect(toRunJson(first).status).toBe('running');
  });
});

/** Would run on the machine if anything of the agent's repository did. */
const MARK = '/tmp/ratchet-run-attacks-ran';
const SETTINGS = `[core]\\n\\tfsmonitor = touch ${MARK}\\n\\thooksPath = /workspace\\n`;
const HOOK = `printf '#!/bin/sh\\ntouch ${MARK}\\n' > post-checkout; chmod +x post-checkout; cp post-checkout .git/hooks/`;
const GIT = 'git -c user.name=a -c user.email=a@example.com';

/** What an agent does, in the shell of its site, after it has repaired the module of that name; and why that is refused. */
const ATTACKS: Readonly<Record<string, readonly [does: string, refused: string | null]>> = {
  commits: [
    `${GIT} add --all; ${GIT} commit -m x; git checkout -b other; git branch -f main; git tag v1; git update-ref -d HEAD; git update-index --assume-unchanged src/commits.mjs; git config core.worktree /`,
    null,
  ],
  hooks: [`${HOOK}; printf '${SETTINGS}' >> .git/config; rm post-checkout`, null],
  forgets: ['rm -rf .git; echo "gitdir: /etc" > .git; ln -sfn / .git; git init', null],
  specials: [
    `mkfifo pipe test/pipe.test.mjs; mknod device c 1 5; node -e "require('node:net').createServer().listen('socket', () => process.exit(0))"; chmod 0 pipe src`,
    null,
  ],
  nests: [
    `mkdir -p nested/.GIT "git~1"; cd nested; echo 1 > a.txt; git init; git add a.txt; ${GIT} commit -m x; printf '${SETTINGS}' >> .git/config`,
    null,
  ],
  stays: ['(setsid sleep 500 >/dev/null 2>&1 &); (sleep 500 &)', null],
  kills: ['kill -9 $PPID', 'AGENT_CRASHED'],
  floods: ['head -c 200000000 /dev/zero', 'AGENT_OUTPUT_FLOOD'],
  heavy: ['truncate -s 100G huge || rm -f huge; head -c 20000000 /dev/zero > big', 'DIFF_TOO_LARGE'],
  leaves: ['ln -s /etc/passwd host; ln -s ../../.. up', 'UNSAFE_ENTRY'],
  links: ['ln -sf commits.test.mjs test/links.test.mjs', 'UNSAFE_ENTRY'],
  joins: ['ln -f src/commits.mjs test/joins.test.mjs', 'TESTS_DELETED'],
  swaps: ['rm test/swaps.test.mjs; mkdir test/swaps.test.mjs; echo 1 > test/swaps.test.mjs/a', 'TESTS_DELETED'],
  folds: ['mkdir SRC; echo 1 > SRC/folds.mjs', 'UNSAFE_ENTRY'],
  composes: [`echo 1 > "$(printf 'caf\\303\\251')"; echo 2 > "$(printf 'cafe\\314\\201')"`, 'UNSAFE_ENTRY'],
  names: [`mkdir 'src.'; echo 1 > 'src./a.mjs'; echo 1 > "$(printf 'a\\nb')"; echo 1 > 'a\\..\\b'`, 'UNSAFE_ENTRY'],
  modules: [`printf '[submodule "s"]\\n\\tpath = s\\n\\turl = ext::touch\\n' > .gitmodules`, 'PROTECTED_PATH'],
};

describe('an agent that attacks the repository, its tools or its place', () => {
  it('changes nothing but what counts, or its change is refused, and no other task suffers', async () => {
    const names = Object.keys(ATTACKS);
    const policy = await readFile(join(stage.repo, '.github/ratchet.yml'), 'utf8');
    await stage.write({ '.github/ratchet.yml': `${policy}tasks:\n  retries: 0\n  maxAgentWorkers: 4\n` });
    await stage.git('rm', '--quiet', 'src/one.mjs', 'test/one.test.mjs');
    for (const name of names) {
      const source = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { name } from '../src/${name}.mjs';\n`;
      await stage.write({
        [`src/${name}.mjs`]: "export const name = () => 'none';\n",
        [`test/${name}.test.mjs`]: `${source}test('${name}', () => assert.equal(name(), '${name}'));\n`,
      });
    }
    await stage.commit();
    const before = await stage.git('show-ref');
    const config = await readFile(join(stage.repo, '.git/config'), 'utf8');
    const cases = Object.entries(ATTACKS).map(([name, [does]]) => ({
      when: { prompt: `test/${name}.test.mjs` },
      steps: [{ do: 'run', command: `sed -i 's/none/${name}/' src/${name}.mjs; { ${does}; } 2>/dev/null || true` }],
    }));
    await stage.script({ cases, steps: [] });

    const ended = await run();

    const json = withCauses(toRunJson(ended));
    const inOrder = names.toSorted();
    expect(json.tasks.map(({ attempts }, index) => [inOrder[index], ...attempts.map(({ reason }) => reason)])).toEqual(
      inOrder.map((name) => [name, ATTACKS[name]?.[1] ?? null]),
    );
    const branch = json.branch ?? '';
    const counted = names.filter((name) => ATTACKS[name]?.[1] === null).map((name) => `src/${name}.mjs`);
    const changed = (await stage.git('diff', '--name-only', 'HEAD', branch)).split('\n');
    expect(changed).toEqual(['nested/a.txt', ...counted.toSorted()]);
    expect(await stage.git('diff', '--summary', 'HEAD', branch)).toBe(' create mode 100644 nested/a.txt');
    const refs = (await stage.git('show-ref')).split('\n').filter((line) => !line.endsWith(branch));
    expect(refs.join('\n')).toBe(before);
    expect(await readFile(join(stage.repo, '.git/config'), 'utf8')).toBe(config);
    expect(await stage.git('status', '--porcelain')).toBe('');
    expect(existsSync(MARK)).toBe(false);
  });
});

describe('a state folder', () => {
  it('that cannot be made is named, in one line', async () => {
    await writeFile(join(stage.root, 'file'), '');

    const ended = await stage.withEnv({ XDG_STATE_HOME: join(stage.root, 'file') }).ratchet('run', '--repo', 'repo');

    expect([2, 3]).toContain(ended.exitCode);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(/^ratchet: run: [^\n]*file\/ratchet[^\n]*\n$/u);
  });
});
