import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SETUP_FIELDS, type SetupSettings, toSetupSettings } from '../../src/config/registry-variables.ts';
import { PUBLIC_REGISTRIES } from '../../src/core/registry/registry-roots.ts';

const Fields = z.object(SETUP_FIELDS);

function parse(variables: Readonly<Record<string, string>>): SetupSettings {
  return toSetupSettings(Fields.parse(variables));
}

describe('the variables of setup', () => {
  it('name the public registries, no hosts and no toolchains by default', () => {
    expect(parse({})).toEqual({ registries: PUBLIC_REGISTRIES, setupHosts: [], toolchains: [], structuralMerge: null });
  });

  it('name registries of the operator, with a slash at the end', () => {
    const variables = {
      RATCHET_NPM_REGISTRY: 'https://mirror.example/api/npm',
      RATCHET_PYPI_INDEX: 'http://10.0.0.5:3141/root/simple/',
      RATCHET_GO_PROXY: 'https://go.example',
      RATCHET_CARGO_INDEX: 'https://cargo.example//',
    };

    expect(parse(variables).registries).toEqual({
      npm: 'https://mirror.example/api/npm/',
      pypi: 'http://10.0.0.5:3141/root/simple/',
      go: 'https://go.example/',
      sumdb: PUBLIC_REGISTRIES.sumdb,
      cargo: 'https://cargo.example/',
    });
  });

  it('name hosts and folders', () => {
    const variables = { RATCHET_SETUP_HOSTS: 'a.example, b.example', RATCHET_TOOLCHAINS: '/opt/node-22:/opt/go' };

    expect(parse(variables)).toMatchObject({
      setupHosts: ['a.example', 'b.example'],
      toolchains: ['/opt/node-22', '/opt/go'],
    });
  });

  it.each([
    ['RATCHET_NPM_REGISTRY', 'registry.npmjs.org', 'an http or https address'],
    ['RATCHET_NPM_REGISTRY', 'ftp://mirror.example', 'an http or https address'],
    ['RATCHET_NPM_REGISTRY', 'https://user:secret@mirror.example', 'without user, password'],
    ['RATCHET_NPM_REGISTRY', 'https://user@mirror.example', 'without user, password'],
    ['RATCHET_PYPI_INDEX', 'https://mirror.example/?token=secret', 'without user, password and query'],
    ['RATCHET_PYPI_INDEX', 'https://mirror.example/#x', 'without user, password and query'],
    ['RATCHET_SETUP_HOSTS', '*.example', 'exact host names'],
    ['RATCHET_SETUP_HOSTS', 'a.example:443', 'exact host names'],
    ['RATCHET_SETUP_HOSTS', 'a.example,', 'exact host names'],
    ['RATCHET_SETUP_HOSTS', '10.0.0.1', 'exact host names'],
    ['RATCHET_SETUP_HOSTS', 'localhost', 'exact host names'],
    ['RATCHET_STRUCTURAL_MERGE', 'mergiraf', 'absolute path, or off'],
    ['RATCHET_STRUCTURAL_MERGE', '/opt/../mergiraf', 'absolute path, or off'],
    ['RATCHET_TOOLCHAINS', 'opt/node', 'absolute paths'],
    ['RATCHET_TOOLCHAINS', '/opt/../etc', 'absolute paths'],
    ['RATCHET_TOOLCHAINS', '/opt/node/', 'absolute paths'],
    ['RATCHET_TOOLCHAINS', '/', 'absolute paths'],
    ['RATCHET_TOOLCHAINS', '/opt/node:', 'absolute paths'],
  ])('refuse %s=%s', (name, value, message) => {
    const { error } = Fields.safeParse({ [name]: value });

    expect(error?.issues.map((issue) => [issue.path[0], issue.message])).toEqual([
      [name, expect.stringContaining(message)],
    ]);
  });
});
