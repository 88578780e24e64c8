import { describe, expect, it } from 'vitest';
import { PUBLIC_REGISTRIES } from '../../../src/core/registry/registry-roots.ts';
import { type Route, routeRequest } from '../../../src/core/registry/route-request.ts';
import { textWith } from '../../support/text-with.ts';

const PIP_FILE = '/_files/pypi/files.pythonhosted.org/packages/ab/cd/a-1.0-py3-none-any.whl';

function route(target: string, method = 'GET'): Route {
  return routeRequest(method, target, PUBLIC_REGISTRIES);
}

describe('routeRequest', () => {
  it.each<[string, string, 'npm' | 'pypi' | 'go' | 'cargo', 'npm' | 'pypi' | 'cargo' | null]>([
    ['/lodash', 'https://registry.npmjs.org/lodash', 'npm', 'npm'],
    ['/JSONStream', 'https://registry.npmjs.org/JSONStream', 'npm', 'npm'],
    ['/lodash/latest', 'https://registry.npmjs.org/lodash/latest', 'npm', 'npm'],
    ['/lodash/4.17.21', 'https://registry.npmjs.org/lodash/4.17.21', 'npm', 'npm'],
    ['/@types/node', 'https://registry.npmjs.org/@types/node', 'npm', 'npm'],
    ['/@types%2fnode', 'https://registry.npmjs.org/@types%2fnode', 'npm', 'npm'],
    ['/@types%2Fnode', 'https://registry.npmjs.org/@types%2Fnode', 'npm', 'npm'],
    [
      '/-/package/@types%2fnode/dist-tags',
      'https://registry.npmjs.org/-/package/@types%2fnode/dist-tags',
      'npm',
      'npm',
    ],
    ['/a/-/a-1.0.0.tgz', 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', 'npm', null],
    ['/@s/a/-/a-1.0.0+b.tgz', 'https://registry.npmjs.org/@s/a/-/a-1.0.0+b.tgz', 'npm', null],
    ['/go', 'https://registry.npmjs.org/go', 'npm', 'npm'],
    ['/_pypi/simple/Flask_Login.x/', 'https://pypi.org/simple/flask-login-x/', 'pypi', 'pypi'],
    ['/_pypi/simple/a', 'https://pypi.org/simple/a/', 'pypi', 'pypi'],
    [PIP_FILE, 'https://files.pythonhosted.org/packages/ab/cd/a-1.0-py3-none-any.whl', 'pypi', null],
    [
      `${PIP_FILE}.metadata`,
      'https://files.pythonhosted.org/packages/ab/cd/a-1.0-py3-none-any.whl.metadata',
      'pypi',
      null,
    ],
    ['/_files/pypi/pypi.org/a-1%2Bcpu.tar.gz', 'https://pypi.org/a-1%2Bcpu.tar.gz', 'pypi', null],
    ['/_files/npm/registry.npmjs.org/x/y.tgz', 'https://registry.npmjs.org/x/y.tgz', 'npm', null],
    [
      '/_go/github.com/!burnt!sushi/toml/@v/list',
      'https://proxy.golang.org/github.com/!burnt!sushi/toml/@v/list',
      'go',
      null,
    ],
    ['/_go/golang.org/x/mod/@latest', 'https://proxy.golang.org/golang.org/x/mod/@latest', 'go', null],
    [
      '/_go/a.b/c/@v/v1.0.0-20200101000000-abcdef.zip',
      'https://proxy.golang.org/a.b/c/@v/v1.0.0-20200101000000-abcdef.zip',
      'go',
      null,
    ],
    ['/_go/a.b/c/@v/v2.0.0+incompatible.mod', 'https://proxy.golang.org/a.b/c/@v/v2.0.0+incompatible.mod', 'go', null],
    ['/_go/sumdb/sum.golang.org/latest', 'https://sum.golang.org/latest', 'go', null],
    ['/_go/sumdb/sum.golang.org/lookup/a.b/c@v1.0.0', 'https://sum.golang.org/lookup/a.b/c@v1.0.0', 'go', null],
    ['/_go/sumdb/sum.golang.org/tile/8/0/x001/234.p/5', 'https://sum.golang.org/tile/8/0/x001/234.p/5', 'go', null],
    ['/_cargo/index/config.json', 'https://index.crates.io/config.json', 'cargo', 'cargo'],
    ['/_cargo/index/1/a', 'https://index.crates.io/1/a', 'cargo', null],
    ['/_cargo/index/2/ab', 'https://index.crates.io/2/ab', 'cargo', null],
    ['/_cargo/index/3/a/abc', 'https://index.crates.io/3/a/abc', 'cargo', null],
    ['/_cargo/index/se/rd/serde_json', 'https://index.crates.io/se/rd/serde_json', 'cargo', null],
  ])('reads %s', (target, url, of, rewrite) => {
    expect(route(target)).toEqual({ kind: 'fetch', of, url, rewrite });
    expect(route(target, 'HEAD')).toEqual({ kind: 'fetch', of, url, rewrite });
  });

  it('knows the file of a crate, and says that the checksums of Go are here', () => {
    expect(route('/_cargo/dl/serde_json/1.0.0-rc.1+x/download')).toEqual({
      ...{ kind: 'crate', name: 'serde_json', version: '1.0.0-rc.1+x' },
    });
    expect(route('/_go/sumdb/sum.golang.org/supported')).toEqual({ kind: 'answer', text: '' });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'get', ''])('refuses %s', (method) => {
    expect(route('/lodash', method)).toEqual({
      kind: 'refused',
      reason: `${method} is not allowed: packages can only be read`,
    });
  });

  it.each([
    ['http://registry.npmjs.org/lodash', 'no proxy for other addresses'],
    ['https://evil.example/lodash', 'no proxy for other addresses'],
    ['registry.npmjs.org:443', 'no proxy for other addresses'],
    ['*', 'no proxy for other addresses'],
    [`/${'a'.repeat(3000)}`, 'too long'],
    ['/lodash?write=true', 'query'],
    ['/lodash/../-/whoami', 'go up'],
    ['/_go/./a', 'go up'],
    ['/', 'no package of npm'],
    ['//evil.example/x', 'no package of npm'],
    ['/-/whoami', 'no package of npm'],
    ['/-/all', 'no package of npm'],
    ['/-/npm/v1/user', 'no package of npm'],
    ['/-/v1/search', 'no package of npm'],
    ['/-/package/a/collaborators', 'no package of npm'],
    ['/a%2f..%2fb', 'no package of npm'],
    ['/a%00b', 'no package of npm'],
    ['/.a', 'no package of npm'],
    ['/_a', 'no package of npm'],
    ['/a/b/c', 'no package of npm'],
    ['/a/-/b.tar', 'no package of npm'],
    ['/a/-/b/c/d.tgz', 'no package of npm'],
    ['/a\nb', 'no package of npm'],
    ['/a@evil.example', 'no package of npm'],
    ['/_pypi/simple/', 'no project'],
    ['/_pypi/simple/a/b', 'no project'],
    ['/_pypi/pypi/a/json', 'no project'],
    ['/_pypi/simple/-a', 'no project'],
    ['/_pypi/simple/a%2fb/', 'no project'],
    ['/_go/a.b/c/@v/', 'no module'],
    ['/_go/a.b/c/@v/v1.exe', 'no module'],
    ['/_go/A.b/c/@v/list', 'no module'],
    ['/_go/a.b//c/@v/list', 'no module'],
    ['/_go/sumdb/evil.example/latest', 'no module'],
    ['/_go/sumdb/sum.golang.org/other', 'no module'],
    ['/_go/sumdb/sum.golang.org/', 'no module'],
    ['/_cargo/index/', 'no crate'],
    ['/_cargo/index/se/rd/a b', 'no crate'],
    ['/_cargo/dl/a/latest/download', 'no crate'],
    ['/_cargo/dl/a/1.0.0', 'no crate'],
    ['/_cargo/me', 'no crate'],
    ['/_files/pypi/evil.example/a.whl', 'evil.example is no host'],
    ['/_files/npm/files.pythonhosted.org/a.tgz', 'files.pythonhosted.org is no host'],
    ['/_files/pypi/files.pythonhosted.org:8080/a.whl', 'files.pythonhosted.org:8080 is no host'],
    ['/_files/pypi/pypi.org/a.exe', 'no file of a package'],
    ['/_files/pypi/pypi.org/%2e%2e/a.whl', 'no file of a package'],
    ['/_files/pypi/pypi.org/a%2Fb.whl', 'no file of a package'],
    ['/_files/pypi/pypi.org/a%252e.whl', 'no file of a package'],
    ['/_files/pypi/pypi.org/a%00.whl', 'no file of a package'],
    ['/_files/pypi/user@pypi.org/a.whl', 'no file of a package'],
    ['/_files/go/proxy.golang.org/a.zip', 'no file of a package'],
    ['/_files/pypi/pypi.org/', 'no file of a package'],
  ])('refuses %j', (target, reason) => {
    expect(route(target)).toEqual({ kind: 'refused', reason: textWith(reason) });
  });

  it('reads the registries that are configured, with their folders', () => {
    const roots = {
      ...PUBLIC_REGISTRIES,
      npm: 'https://mirror.example/api/npm/',
      pypi: 'http://10.0.0.5:3141/root/simple/',
    };
    const to = (target: string): Route => routeRequest('GET', target, roots);

    expect(to('/a')).toMatchObject({ url: 'https://mirror.example/api/npm/a' });
    expect(to('/_files/npm/mirror.example/other/a.tgz')).toMatchObject({ url: 'https://mirror.example/other/a.tgz' });
    expect(to('/_pypi/simple/a/')).toMatchObject({ url: 'http://10.0.0.5:3141/root/simple/a/' });
    expect(to('/_files/pypi/10.0.0.5:3141/a.whl')).toMatchObject({ url: 'http://10.0.0.5:3141/a.whl' });
    expect(to(PIP_FILE)).toMatchObject({ kind: 'refused' });
  });
});
