import { describe, expect, it } from 'vitest';
import {
  chooseTools,
  type FoundTool,
  findWantedTools,
  toVersion,
  type WantedTool,
} from '../../../src/core/install/compare-tools.ts';

const json = (value: object): string => JSON.stringify(value);

describe('findWantedTools', () => {
  it.each<[string, string, string, string]>([
    ['package.json', json({ engines: { node: '>=20' } }), 'node', '>=20.0.0'],
    ['package.json', json({ engines: { npm: '^10.2.0' } }), 'npm', '>=10.2.0 <11.0.0-0'],
    ['package.json', json({ packageManager: 'pnpm@9.1.0' }), 'pnpm', '9.1.0'],
    ['.nvmrc', 'v20\n', 'node', '>=20.0.0 <21.0.0-0'],
    ['.nvmrc', '20.11.1', 'node', '20.11.1'],
    ['.node-version', '22.5', 'node', '>=22.5.0 <22.6.0-0'],
    ['.python-version', '3.12\n3.11\n', 'python3', '>=3.12.0 <3.13.0-0'],
    ['pyproject.toml', '[project]\nrequires-python = ">= 3.9, <3.13, !=3.9.1"\n', 'python3', '>=3.9.0 <3.13.0-0'],
    ['pyproject.toml', 'requires-python = "~=3.9"', 'python3', '>=3.9.0 <4.0.0-0'],
    ['pyproject.toml', 'requires-python = "~=3.9.2"', 'python3', '>=3.9.2 <3.10.0-0'],
    ['pyproject.toml', "requires-python = '==3.11.*'", 'python3', '>=3.11.0 <3.12.0-0'],
    ['go.mod', 'module x\n\ngo 1.22\n', 'go', '>=1.22.0'],
    ['go.mod', 'toolchain go1.22.3\n', 'go', '>=1.22.3'],
    ['rust-toolchain', '1.75.0', 'rustc', '1.75.0'],
    ['rust-toolchain.toml', '[toolchain]\nchannel = "1.75"\n', 'rustc', '>=1.75.0 <1.76.0-0'],
  ])('reads %s: %s', (from, text, tool, range) => {
    expect(findWantedTools({ [from]: text })).toMatchObject([{ tool, range, from }]);
  });

  it('says what a file asks for as the file has it, cut', () => {
    const text = `>=20 ${'|| >=21 '.repeat(9)}`;

    expect(findWantedTools({ '.nvmrc': text })).toMatchObject([{ text: text.slice(0, 40) }]);
  });

  it.each<Readonly<Record<string, string>>>([
    {},
    { 'package.json': '{' },
    { 'package.json': json({ engines: 'node' }) },
    { 'package.json': json({ engines: { node: 20 } }) },
    { 'package.json': json({ engines: { node: 'banana' } }) },
    { '.nvmrc': 'lts/iron' },
    { '.nvmrc': ' \n' },
    { 'rust-toolchain.toml': 'channel = "stable"' },
    { 'go.mod': 'go 1' },
    { 'pyproject.toml': 'requires-python = "!=3.9.1"' },
  ])('finds no version in %j', (texts) => {
    expect(findWantedTools(texts)).toEqual([]);
  });
});

describe('toVersion', () => {
  it.each([
    ['v24.1.0', '24.1.0'],
    ['Python 3.11.2', '3.11.2'],
    ['go version go1.22 linux/amd64', '1.22.0'],
    ['rustc 1.80.0-nightly (abc 2024-06-01)', '1.80.0'],
    ['command not found', null],
    ['', null],
  ])('reads %j', (printed, version) => {
    expect(toVersion(printed)).toBe(version);
  });
});

describe('chooseTools', () => {
  const want = (range: string, from = '.nvmrc'): WantedTool => ({ tool: 'node', range, from, text: range });
  const own = (version: string): FoundTool => ({ tool: 'node', version, folder: null });
  const at = (version: string, folder = `/opt/${version}`): FoundTool => ({ tool: 'node', version, folder });
  const MORE = 'The operator can provide another one with RATCHET_TOOLCHAINS.';

  it.each<[string, readonly WantedTool[], readonly FoundTool[], ReturnType<typeof chooseTools>]>([
    ['nothing is asked for', [], [own('24.0.0')], { programPath: [], notes: [] }],
    ['the own one fits', [want('>=20')], [own('24.0.0'), at('25.0.0')], { programPath: [], notes: [] }],
    [
      'the newest of those that fit',
      [want('<23')],
      [own('24.0.0'), at('20.1.0'), at('22.9.0'), at('22.5.0'), at('23.0.0')],
      { programPath: ['/opt/22.9.0/bin'], notes: ['node 22.9.0 of /opt/22.9.0 is used: .nvmrc asks for <23.'] },
    ],
    [
      'none fits',
      [want('<23'), want('>=21', 'package.json')],
      [own('24.0.0'), at('20.0.0')],
      {
        programPath: [],
        notes: [`this machine has node 24.0.0, but .nvmrc asks for <23, and package.json asks for >=21. ${MORE}`],
      },
    ],
    [
      'there is none',
      [want('<23')],
      [],
      { programPath: [], notes: [`this machine has no node, but .nvmrc asks for <23. ${MORE}`] },
    ],
    [
      'one folder has two tools',
      [want('22'), { tool: 'npm', range: '10', from: 'package.json', text: '10' }],
      [
        at('22.1.0', '/opt/n'),
        { tool: 'npm', version: '10.1.0', folder: '/opt/n' },
        { tool: 'npm', version: '11.0.0', folder: null },
      ],
      {
        programPath: ['/opt/n/bin'],
        notes: [
          'node 22.1.0 of /opt/n is used: .nvmrc asks for 22.',
          'npm 10.1.0 of /opt/n is used: package.json asks for 10.',
        ],
      },
    ],
  ])('%s', (_what, wanted, found, chosen) => {
    expect(chooseTools(wanted, found)).toEqual(chosen);
  });
});
