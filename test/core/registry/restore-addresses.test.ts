import { describe, expect, it } from 'vitest';
import { PUBLIC_REGISTRIES } from '../../../src/core/registry/registry-roots.ts';
import { restoreAddresses } from '../../../src/core/registry/restore-addresses.ts';

const proxy = 'http://127.0.0.1:4873';
const OWN = { ...PUBLIC_REGISTRIES, npm: 'https://npm.example/repo/', pypi: 'https://pypi.example/simple/' };

describe('restoreAddresses', () => {
  it.each([
    ['no address', 'a', 'a'],
    [
      'npm',
      `"${proxy}/a/-/a-1.0.0.tgz" "${proxy}/@s/b/-/b.tgz"`,
      '"https://registry.npmjs.org/a/-/a-1.0.0.tgz" "https://registry.npmjs.org/@s/b/-/b.tgz"',
    ],
    ['the Python index', `registry = "${proxy}/_pypi/simple/"`, 'registry = "https://pypi.org/simple/"'],
    ['the Python index without a slash', `registry = "${proxy}/_pypi/simple"`, 'registry = "https://pypi.org/simple"'],
    [
      'files of the Python index',
      `url = "${proxy}/_files/pypi/files.pythonhosted.org/packages/a.whl"`,
      'url = "https://files.pythonhosted.org/packages/a.whl"',
    ],
  ])('puts the public address in place of %s', (_what, text, expected) => {
    expect(restoreAddresses(text, { proxy, roots: PUBLIC_REGISTRIES, before: '' })).toBe(expected);
  });

  it("keeps the operator's registries where the file named them", () => {
    const text = `${proxy}/a ${proxy}/_pypi/simple/`;

    expect(restoreAddresses(text, { proxy, roots: OWN, before: `${OWN.npm}b` })).toBe(
      `${OWN.npm}a https://pypi.org/simple/`,
    );
    expect(restoreAddresses(text, { proxy, roots: OWN, before: 'registry = "https://pypi.example/simple"' })).toBe(
      `https://registry.npmjs.org/a ${OWN.pypi}`,
    );
  });

  it.each([
    proxy,
    `${proxy}/_files/npm/elsewhere.example/a.tgz`,
    `${proxy}/_files/go/x/`,
    `${proxy}/_cargo/dl`,
    `${proxy}x`,
  ])('refuses what it cannot restore: %s', (text) => {
    expect(restoreAddresses(text, { proxy, roots: PUBLIC_REGISTRIES, before: '' })).toBeNull();
  });
});
