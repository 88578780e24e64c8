import { describe, expect, it } from 'vitest';
import { parsePolicyFile } from '../../../src/config/policy-file.ts';
import { choosePolicy, isPolicyPath, type PolicyPlaces } from '../../../src/core/policy/policy-place.ts';

const NOTHING: PolicyPlaces = { yml: null, yaml: null, folder: [], misplaced: [] };

describe('choosePolicy', () => {
  it.each<[string, Partial<PolicyPlaces>, string, string | null]>([
    ['no file', {}, '.github/ratchet.yml', null],
    ['other files only', { folder: ['workflows', 'dependabot.yml', 'ratchets.yml'] }, '.github/ratchet.yml', null],
    ['ratchet.yml', { yml: 'mode: push' }, '.github/ratchet.yml', 'mode: push'],
    ['ratchet.yaml', { yaml: 'mode: push', folder: ['ratchet.yaml'] }, '.github/ratchet.yaml', 'mode: push'],
    ['an empty ratchet.yaml', { yaml: '' }, '.github/ratchet.yaml', ''],
    ['a file of another program beside it', { yml: 'a', misplaced: ['ratchet.yml'] }, '.github/ratchet.yml', 'a'],
    ['a name that GitHub lists but cannot show', { folder: ['ratchet.yml'] }, '.github/ratchet.yml', null],
  ])('takes %s (L15)', (_what, places, path, text) => {
    expect(choosePolicy({ ...NOTHING, ...places })).toEqual({ path, text });
  });

  it.each<[string, Partial<PolicyPlaces>, string, string]>([
    [
      'two files',
      { yml: '', yaml: '' },
      '.github/ratchet.yml',
      'there are two policy files, .github/ratchet.yml and .github/ratchet.yaml: remove one',
    ],
    [
      'other capitals',
      { folder: ['Ratchet.yml'] },
      '.github/Ratchet.yml',
      '.github/Ratchet.yml is not read: its name must be .github/ratchet.yml',
    ],
    [
      'another format',
      { folder: ['ratchet.json'] },
      '.github/ratchet.json',
      '.github/ratchet.json is not read: its name must be .github/ratchet.yml',
    ],
    [
      'the root',
      { misplaced: ['ratchet.yml'] },
      'ratchet.yml',
      'ratchet.yml is not read: its name must be .github/ratchet.yml',
    ],
    [
      'the folder before the root',
      { folder: ['.ratchet.yml'], misplaced: ['ratchet.yml'] },
      '.github/.ratchet.yml',
      '.github/.ratchet.yml is not read: its name must be .github/ratchet.yml',
    ],
  ])('refuses %s by name, so that nobody trusts a file without effect (L15)', (_what, places, path, message) => {
    const chosen = choosePolicy({ ...NOTHING, ...places });

    expect(chosen.path).toBe(path);
    expect(parsePolicyFile(chosen.text)).toEqual({ kind: 'invalid', problems: [{ line: 1, column: 1, message }] });
  });
});

describe('isPolicyPath', () => {
  it.each([
    '.github/ratchet.yml',
    '.github/ratchet.yaml',
    '.github/Ratchet.YML',
    '.github/ratchet.json',
    '.github/ratchet.json5',
    '.github/ratchet.jsonc',
    '.github/ratchet.toml',
    '.github/.ratchet.yml',
    '.github/ratchet-config.yml',
    '.github/ratchet.policy.yaml',
    '.github/ratchet.yml.txt',
    'ratchet.yml',
    '.ratchet.yaml',
  ])('knows %s', (path) => {
    expect(isPolicyPath(path)).toBe(true);
  });

  it.each([
    '',
    '.github/workflows/ratchet.yml',
    '.github/ratchets.yml',
    '.github/my-ratchet.yml',
    '.github/ratchet.md',
    'Ratchet.yml',
    'docs/ratchet.yml',
    'x/.github/ratchet.yml',
    '.github/ratchet.yml/x',
  ])('takes %s for another file', (path) => {
    expect(isPolicyPath(path)).toBe(false);
  });
});
