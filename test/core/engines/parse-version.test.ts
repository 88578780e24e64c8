import { expect, it } from 'vitest';
import { parseVersion } from '../../../src/core/engines/parse-version.ts';

it.each([
  ['9.39.1', '9.39.1'],
  ['v2.6', '2.6'],
  ['ShellCheck - shell script analysis tool\nversion: 0.9.0\nlicense: GPL 3.0', '0.9.0'],
  ['go version go1.19.8 linux/amd64', '1.19.8'],
  ['golangci-lint has version 1.55.2 built with go1.21.3', '1.55.2'],
  ['clippy 0.1.66 (69f9c33 2022-12-12)', '0.1.66'],
  ['7.0.0-beta.1', '7.0.0-beta.1'],
  ['1.2.3+build.5, of today', '1.2.3+build.5'],
  ['1.2.3-', '1.2.3'],
  ['12.34.56.78', '12.34.56.78'],
  ['version 7', null],
  ['', null],
  [`1.2.${'3'.repeat(60)}`, `1.2.${'3'.repeat(60)}`],
  [`1.2.${'3'.repeat(61)}`, null],
])('finds in %j the version %j', (text, version) => {
  expect(parseVersion(text)).toBe(version);
});
