import { describe, expect, it } from 'vitest';
import { clippy } from '../../../src/engines/program/clippy.ts';
import { goTest } from '../../../src/engines/program/go-test.ts';
import { goVet } from '../../../src/engines/program/go-vet.ts';
import { golangciLint } from '../../../src/engines/program/golangci-lint.ts';
import { shellcheck } from '../../../src/engines/program/shellcheck.ts';
import { argumentsOf } from '../node/support.ts';

describe('tools of Go', () => {
  it.each([goTest, goVet])('$id is given packages as Go names them', (spec) => {
    expect(argumentsOf(spec, { targets: ['.', 'cmd/x'] }).slice(-2)).toEqual(['.', './cmd/x']);
  });

  it.each([goTest, goVet])('$id passes over the folders that Go passes over', (spec) => {
    const targets = ['cmd', 'cmd/testdata/broken', 'vendor/x', '_old', '.hidden'];

    expect(argumentsOf(spec, { targets }).filter((argument) => argument.startsWith('./'))).toEqual(['./cmd']);
    expect(argumentsOf(spec, { targets: ['testdata'] }).at(-1)).toBe('./testdata');
  });

  it.each([goTest, goVet, golangciLint])('$id fetches neither a toolchain nor a module', ({ env }) => {
    expect(env).toMatchObject({ GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=readonly' });
  });

  it('go test names whole paths from 1.21 on', () => {
    expect(argumentsOf(goTest, {}, { version: '1.21.0' })).toContain('-fullpath');
    expect(argumentsOf(goTest, {}, { version: '1.20.9' })).not.toContain('-fullpath');
  });

  it.each([
    ['1.64.8', '--out-format=json:/artifacts/golangci-lint.json'],
    ['2.0.0', '--output.json.path=/artifacts/golangci-lint.json'],
    [null, '--output.json.path=/artifacts/golangci-lint.json'],
  ])('golangci-lint %s is given %s', (version, flag) => {
    expect(argumentsOf(golangciLint, {}, { version })).toContain(flag);
  });
});

describe('clippy', () => {
  it('builds among the artifacts, and fetches nothing', () => {
    const args = argumentsOf(clippy);

    expect(args).toContain('--offline');
    expect(args[args.indexOf('--target-dir') + 1]).toBe('/artifacts/target');
  });

  it('leaves a lock file as it is where there is one', () => {
    expect(argumentsOf(clippy, {}, { files: ['Cargo.lock'] })).toContain('--locked');
    expect(argumentsOf(clippy, { cwd: 'crate' }, { files: ['crate/Cargo.lock'] })).toContain('--locked');
    expect(argumentsOf(clippy, {}, { files: ['Cargo.toml'] })).not.toContain('--locked');
  });
});

describe('shellcheck', () => {
  it('is told where its files begin, whatever they are called', () => {
    expect(argumentsOf(shellcheck, { targets: ['-a.sh', 'b.sh'] }).slice(-3)).toEqual(['--', './-a.sh', 'b.sh']);
  });

  it('is given a configuration file from 0.10 on, which is the first that takes one', () => {
    const set = { configPath: 'own.rc' };

    expect(argumentsOf(shellcheck, set, { version: '0.10.0' })).toContain('/repo/own.rc');
    expect(argumentsOf(shellcheck, set, { version: '0.9.0' })).not.toContain('/repo/own.rc');
  });
});
