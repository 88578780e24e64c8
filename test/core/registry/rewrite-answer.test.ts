import { describe, expect, it } from 'vitest';
import { PUBLIC_REGISTRIES, toOrigins } from '../../../src/core/registry/registry-roots.ts';
import { type AnswerPlace, rewriteAnswer, toCrateUrl } from '../../../src/core/registry/rewrite-answer.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const PLACE: AnswerPlace = { roots: PUBLIC_REGISTRIES, url: 'https://pypi.org/simple/a/', proxy: 'http://127.0.0.1:1' };
const FILES = 'http://127.0.0.1:1/_files/pypi';

describe('rewriteAnswer', () => {
  it.each([
    ['"https://registry.npmjs.org/@s/a/-/a-1.tgz"', '"http://127.0.0.1:1/@s/a/-/a-1.tgz"'],
    [String.raw`"https:\/\/registry.npmjs.org\/a\/-\/a-1.tgz"`, '"http://127.0.0.1:1/a/-/a-1.tgz"'],
    ['"https://other.example/a.tgz"', '"https://other.example/a.tgz"'],
    ['"^1.0.0"', '"^1.0.0"'],
    [String.raw`"\x"`, String.raw`"\x"`],
  ])('leads the tarball %s of npm to %s', (before, after) => {
    const text = (tarball: string): string => `{"versions":{"1.0.0":{"dist":{"tarball": ${tarball},"shasum":"x"}}}}`;

    expect(rewriteAnswer('npm', text(before), PLACE)).toBe(text(after));
  });

  it('leads a tarball beside the folder of the registry through the proxy too', () => {
    const roots = { ...PUBLIC_REGISTRIES, npm: 'https://mirror.example/npm/' };

    expect(rewriteAnswer('npm', '{"tarball":"https://mirror.example/files/a.tgz"}', { ...PLACE, roots })).toBe(
      '{"tarball":"http://127.0.0.1:1/_files/npm/mirror.example/files/a.tgz"}',
    );
  });

  it('changes no text that only looks like a tarball', () => {
    const text = JSON.stringify({ readme: 'set "tarball": "https://registry.npmjs.org/a/-/a-1.tgz"' });

    expect(rewriteAnswer('npm', text, PLACE)).toBe(text);
  });

  it.each([
    [
      'href="https://files.pythonhosted.org/p/a-1.whl#sha256=ab"',
      `href="${FILES}/files.pythonhosted.org/p/a-1.whl#sha256=ab"`,
    ],
    ["href='../../p/a-1.whl'", `href="${FILES}/pypi.org/p/a-1.whl"`],
    ['class="x" HREF = "/a-1.whl"', `class="x" HREF = "${FILES}/pypi.org/a-1.whl"`],
    ['href="https://evil.example/a-1.whl?a=1&amp;b=2"', 'href="https://evil.example/a-1.whl?a=1&amp;b=2"'],
    ['href="http://["', 'href="http://["'],
    ['href=""', 'href="https://pypi.org/simple/a/"'],
    ['name="x"', 'name="x"'],
  ])('leads a link of a page with %s to %s', (before, after) => {
    const page = (attributes: string): string => `<!DOCTYPE html><h1>a</h1><a ${attributes} data-x="1">a-1.whl</a><br>`;
    const kept = before === 'href=""' ? page('href="http://127.0.0.1:1/_files/pypi/pypi.org/simple/a/"') : page(after);

    expect(rewriteAnswer('pypi', page(before), PLACE)).toBe(kept);
  });

  it('leads the files of a project through the proxy, and keeps everything else', () => {
    const project = {
      meta: { 'api-version': '1.1' },
      files: [
        { url: 'https://files.pythonhosted.org/p/a-1.whl', hashes: { sha256: 'ab' } },
        { url: 'https://evil.example/a.whl' },
        { url: 7 },
        'text',
        null,
      ],
    };

    expect(JSON.parse(rewriteAnswer('pypi', ` ${JSON.stringify(project)}`, PLACE) ?? '')).toEqual({
      ...project,
      files: [
        { url: `${FILES}/files.pythonhosted.org/p/a-1.whl`, hashes: { sha256: 'ab' } },
        ...project.files.slice(1),
      ],
    });
  });

  it.each(['{', '{}', '{"files":{}}'])('finds no project in %s', (text) => {
    expect(rewriteAnswer('pypi', text, PLACE)).toBeNull();
  });

  it('names itself as the place of crates', () => {
    expect(rewriteAnswer('cargo', '{"dl":"https://static.crates.io/crates","api":"https://crates.io"}', PLACE)).toBe(
      '{"dl":"http://127.0.0.1:1/_cargo/dl"}',
    );
    expect(rewriteAnswer('cargo', '<html>', PLACE)).toBeNull();
  });

  it('is linear in hostile answers', () => {
    const cpuMs = toCpuMs(() => {
      rewriteAnswer('pypi', '<a '.repeat(300_000), PLACE);
      rewriteAnswer('npm', `"tarball":"${'\\'.repeat(300_001)}`, PLACE);
      rewriteAnswer('npm', '"tarball"'.repeat(100_000), PLACE);
    });

    expect(cpuMs).toBeLessThan(20_000);
  });
});

describe('toCrateUrl', () => {
  it.each([
    ['https://static.crates.io/crates', 'serde', 'https://static.crates.io/crates/serde/1.0.0/download'],
    ['https://static.crates.io/{prefix}/{crate}-{version}', 'Serde', 'https://static.crates.io/Se/rd/Serde-1.0.0'],
    ['https://static.crates.io/{lowerprefix}/{crate}', 'Serde', 'https://static.crates.io/se/rd/Serde'],
    ['https://static.crates.io/{prefix}', 'ab', 'https://static.crates.io/2'],
    ['https://static.crates.io/{prefix}', 'abc', 'https://static.crates.io/3/a'],
    ['https://evil.example/crates', 'serde', null],
    ['https://static.crates.io/{sha256-checksum}', 'serde', null],
    ['nothing', 'serde', null],
  ])('of %s and %s is %s', (dl, name, url) => {
    expect(toCrateUrl(JSON.stringify({ dl }), { name, version: '1.0.0' }, PUBLIC_REGISTRIES)).toBe(url);
  });

  it.each(['{', '{"dl":7}', '{}'])('is none without an address: %s', (text) => {
    expect(toCrateUrl(text, { name: 'a', version: '1.0.0' }, PUBLIC_REGISTRIES)).toBeNull();
  });
});

describe('toOrigins', () => {
  it.each([
    ['npm', ['https://registry.npmjs.org']],
    ['pypi', ['https://pypi.org', 'https://files.pythonhosted.org']],
    ['go', ['https://proxy.golang.org', 'https://sum.golang.org']],
    ['cargo', ['https://index.crates.io', 'https://static.crates.io']],
  ] as const)('of %s are %j', (kind, origins) => {
    expect(toOrigins(kind, PUBLIC_REGISTRIES)).toEqual(origins);
  });
});
