import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runConfig } from '../../src/cli/config.ts';
import { parsePolicyFile } from '../../src/config/policy-file.ts';
import { toPolicyStarter } from '../../src/config/policy-starter.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { POLICY_KEYS } from '../../src/core/model/policy.ts';
import { mergePolicy } from '../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';

let folder = '';
const outside = process.cwd();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ratchet-config-init-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(outside);
  rmSync(folder, { recursive: true, force: true });
});

function init() {
  return runConfig(['init'], { folder: process.cwd(), operatorPath: '' });
}

describe('ratchet config init', () => {
  it('writes a file with every key and its meaning, which changes nothing until somebody takes a mark away', async () => {
    execFileSync('git', ['init', '-q']);

    expect(await init()).toEqual({
      exitCode: 0,
      stdout: '.github/ratchet.yml: written; commit it to the default branch\n',
      stderr: '',
    });
    const text = readFileSync('.github/ratchet.yml', 'utf8');
    expect(await runConfig(['validate'], { folder: process.cwd(), operatorPath: '' })).toMatchObject({ exitCode: 0 });
    for (const [name, declared] of Object.entries(POLICY_KEYS)) {
      expect(text).toContain(`# ${declared.doc}`);
      expect(text).toContain(name);
    }
  });

  it.each(['.github/ratchet.yml', '.github/ratchet.yaml', '.github/Ratchet.yml', 'ratchet.yml', '.ratchet.yaml'])(
    'never replaces %s, and writes nothing beside it',
    async (path) => {
      mkdirSync('.git');
      mkdirSync('.github');
      writeFileSync(path, 'mode: observe\n');

      const { exitCode, stderr } = await init();

      expect(exitCode).toBe(2);
      expect(stderr).toContain(`${path} exists and is left as it is`);
      expect(readFileSync(path, 'utf8')).toBe('mode: observe\n');
      expect([...readdirSync('.'), ...readdirSync('.github')].filter((name) => /ratchet/iu.test(name))).toHaveLength(1);
    },
  );

  it('refuses a folder that is not the root of a repository, and one that takes no file', async () => {
    const refused = await init();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('there is no .git');

    writeFileSync('.git', 'gitdir: elsewhere\n');
    writeFileSync('.github', 'a file');
    expect((await init()).exitCode).toBe(3);
  });

  it('takes no argument', async () => {
    expect(await runConfig(['init', 'x.yml'], { folder: process.cwd(), operatorPath: '' })).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
  });
});

describe('the new policy file', () => {
  it('sets every key to its default once its marks are taken away', () => {
    const parsed = parsePolicyFile(toPolicyStarter().replaceAll(/^#(?=(?: {2})*[\w-])/gmu, ''));

    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    expect(mergePolicy([parsed.layer], NO_OPERATOR_POLICY).policy).toEqual(DEFAULT_POLICY);
    expect(parsed.layer).not.toEqual({});
  });

  it('lets one key be set alone', () => {
    const text = toPolicyStarter().replace(/^#mode: .*$/mu, 'mode: observe');

    expect(parsePolicyFile(text)).toMatchObject({ kind: 'ok', layer: { mode: 'observe' } });
  });
});
