import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runConfig } from '../../src/cli/config.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';

let folder = '';
const outside = process.cwd();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ratchet-config-'));
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(outside);
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[], operatorPath = '') {
  return runConfig(args, { folder: process.cwd(), operatorPath });
}

function writePolicy(text: string): void {
  mkdirSync('.github', { recursive: true });
  writeFileSync('.github/ratchet.yml', text);
}

describe('ratchet config validate', () => {
  it('finds the file where GitHub has it', async () => {
    writePolicy('mode: observe');

    expect(await run(['validate'])).toEqual({ exitCode: 0, stdout: '.github/ratchet.yml: valid\n', stderr: '' });
  });

  it('takes either name, but not both, and no other (L15)', async () => {
    mkdirSync('.github');
    writeFileSync('.github/ratchet.json', '{}');
    expect(await run(['validate'])).toEqual({
      exitCode: 1,
      stdout: '.github/ratchet.json:1:1: .github/ratchet.json is not read: its name must be .github/ratchet.yml\n',
      stderr: '',
    });

    writeFileSync('.github/ratchet.yaml', 'mode: observe');
    expect(await run(['validate'])).toEqual({ exitCode: 0, stdout: '.github/ratchet.yaml: valid\n', stderr: '' });
    expect((await run(['print', '--json'])).stdout).toContain('"mode":"observe"');

    writePolicy('mode: push');
    const both = await run(['validate', '--json']);
    expect(both.exitCode).toBe(1);
    expect(JSON.parse(both.stdout)).toMatchObject({ valid: false, problems: [{ line: 1, column: 1 }] });
    expect(both.stdout).toContain('.github/ratchet.yml and .github/ratchet.yaml');
  });

  it('is told by name of a file at the root, where none is in .github (L15)', async () => {
    writeFileSync('ratchet.yml', 'mode: observe');

    const { exitCode, stdout } = await run(['validate']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('ratchet.yml is not read');
    writePolicy('mode: observe');
    expect((await run(['validate'])).exitCode).toBe(0);
  });

  it('is content with no file', async () => {
    const { exitCode, stdout } = await run(['validate']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('the defaults hold');
  });

  it('lists each problem with its place, and ends with 1', async () => {
    writeFileSync('mine.yml', 'mod: push\nmaxAttempts: many');

    const { exitCode, stdout, stderr } = await run(['validate', 'mine.yml']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'mine.yml:1:1: unknown key "mod"; did you mean `mode`?',
      expect.stringMatching(/^mine\.yml:2:1: `maxAttempts`: /u),
      '',
    ]);
  });

  it.each([
    ['engines:\n  eslint: true\n  eslnt: true', '.github/ratchet.yml:3:3: `engines.eslnt`', 'did you mean `eslint`?'],
    ['engines: {atuo: true}', '.github/ratchet.yml:1:11: `engines.atuo`', 'did you mean `auto`?'],
  ])('warns of an engine that would be switched off by a mistake: %s', async (text, place, why) => {
    writePolicy(text);

    const { exitCode, stdout, stderr } = await run(['validate']);
    const json: unknown = JSON.parse((await run(['validate', '--json'])).stdout);

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '.github/ratchet.yml: valid\n' });
    expect(stderr).toContain(place);
    expect(stderr).toContain(why);
    expect(json).toMatchObject({ valid: true, problems: [], warnings: [{}] });
    expect(JSON.stringify(json)).toContain(why);
  });

  it('takes an absolute path in the repository, as `ratchet check` does here (000.R5)', async () => {
    writePolicy(`engines:\n  mypy:\n    paths: [${process.cwd()}/src]\n`);

    expect(await run(['validate'])).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['engines:\n  mypy:\n    exitCodes: {success: [1], diagnostic: [1]}', 'exit code 1 stands in'],
    ['engines:\n  mypy:\n    paths: []', 'an empty list, which switches the engine off'],
    ['engines:\n  mypy:\n    paths: [../x]', 'leads outside of the repository'],
    ['engines:\n  mypy:\n    paths: [/elsewhere/x]', 'leads outside of the repository'],
  ])('finds the mistake that switches an engine off, as everywhere: %j (000.R26, 000.R42)', async (text, why) => {
    writePolicy(text);

    const { exitCode, stdout } = await run(['validate']);

    expect(exitCode).toBe(1);
    expect(stdout).toContain('.github/ratchet.yml:2:3: `engines.mypy`: ');
    expect(stdout).toContain(why);
  });

  it('finds what contradicts a default (L15)', async () => {
    writePolicy('labels:\n  enable: ratchet:hold');

    expect(await run(['validate'])).toEqual({
      exitCode: 1,
      stdout:
        '.github/ratchet.yml:2:3: `labels.enable`: "ratchet:hold" is `labels.hold` too: one label cannot enable Ratchet and hold it\n',
      stderr: '',
    });
  });

  it('answers with one JSON document where asked', async () => {
    writePolicy('mod: push');

    const { exitCode, stdout } = await run(['validate', '--json']);

    expect(exitCode).toBe(1);
    const message = 'unknown key "mod"; did you mean `mode`?';
    expect(JSON.parse(stdout)).toEqual({
      file: '.github/ratchet.yml',
      valid: false,
      warnings: [],
      problems: [{ line: 1, column: 1, message }],
    });
  });

  it('refuses a file that is too large without reading it all', async () => {
    const { exitCode, stdout } = await run(['validate', '/dev/zero']);

    expect(exitCode).toBe(1);
    expect(stdout).toContain('larger than 65536 bytes');
  });

  it.each([
    ['a file that is not there', ['validate', 'none.yml'], 2, 'none.yml'],
    ['a folder', ['validate', '.'], 3, 'is a folder, not a file'],
    ['two files', ['validate', 'a', 'b'], 2, 'unexpected argument "b"'],
    ['an unknown option', ['validate', '--fix'], 2, 'unexpected argument "--fix"'],
    ['a file for the schema', ['schema', 'a'], 2, 'unexpected argument "a"'],
    ['nothing to do', [], 2, 'validate, print, schema'],
    ['an unknown action', ['check'], 2, 'validate, print, schema'],
  ])('tells apart wrong usage and a failing machine: %s', async (_what, args, exitCode, text) => {
    const result = await run(args);

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(text);
    expect(result.stderr.trimEnd()).not.toContain('\n');
  });
});

describe('ratchet config print', () => {
  it('shows the built-in policy where there is no file, as a file that is valid', async () => {
    const { exitCode, stdout, stderr } = await run(['print']);
    writePolicy(stdout);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(await run(['validate'])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse((await run(['print', '--json'])).stdout)).toEqual({ policy: DEFAULT_POLICY, clamped: [] });
  });

  it("shows what comes of it under the operator's file, and on stderr what that takes away", async () => {
    writePolicy('maxAttempts: 10');
    writeFileSync('operator.yml', 'defaults: {drafts: hold}\nceilings: {maxAttempts: 5}');

    const { stdout, stderr } = await run(['print'], 'operator.yml');

    expect(stdout).toContain('maxAttempts: 5\n');
    expect(stdout).toContain('drafts: hold\n');
    expect(stderr).toBe('maxAttempts: 10 → 5 (operator)\n');
  });

  it('shows no half of a policy that has problems', async () => {
    writePolicy('maxAttempts: 5\nmod: push');

    expect(await run(['print'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: '.github/ratchet.yml:2:1: unknown key "mod"; did you mean `mode`?\n',
    });
  });

  it("shows none where the operator's file requires what the policy file ignores", async () => {
    writePolicy('ci: {ignore: [lint]}');
    writeFileSync('operator.yml', 'defaults: {ci: {required: [lint]}}');

    const { exitCode, stdout, stderr } = await run(['print'], 'operator.yml');

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('`ci.required`: "lint" can never count');
  });

  it("refuses an operator's file that has problems, and one that is not there", async () => {
    writeFileSync('operator.yml', 'ceilings: {maxAttempt: 5}');

    const { exitCode, stderr } = await run(['print'], 'operator.yml');

    expect(exitCode).toBe(2);
    expect(stderr).toContain('RATCHET_POLICY_FILE: operator.yml, line 1');
    expect(await run(['print'], 'none.yml')).toMatchObject({ exitCode: 2 });
  });
});

describe('ratchet config schema', () => {
  it('prints what is published', async () => {
    const published = readFileSync(join(outside, 'docs/ratchet.schema.json'), 'utf8');

    const { exitCode, stdout } = await run(['schema']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(published));
  });
});
