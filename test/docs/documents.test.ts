import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/engines/catalogue.ts';
import { findProblems } from './find-problems.ts';
import { readDocument } from './read-document.ts';

const MANUALS = globSync('docs/*.md').toSorted();
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'src/README.md', ...MANUALS];

describe.each(DOCUMENTS)('%s', (path) => {
  const text = readFileSync(path, 'utf8');

  it('names commands, flags, actions and scripts that exist, and links that lead somewhere', () => {
    expect(findProblems(path, text)).toEqual([]);
  });

  it('names only variables that something reads', () => {
    const named = new Set(Array.from(text.matchAll(/\b(?:RATCHET|GHE)_[A-Z0-9_]+[A-Z0-9]\b/gu), ([name]) => name));

    expect([...named].filter((name) => !VARIABLES.has(name) && !CONFIGS.has(name))).toEqual([]);
  });
});

const VARIABLES = new Set(
  globSync(['src/**/*.ts', 'src/**/*.mjs', 'demo/**/*.ts', 'scripts/**/*.ts', 'eval/**/*.ts', 'bench/**/*.ts']).flatMap(
    (path) =>
      Array.from(readFileSync(path, 'utf8').matchAll(/\b(?:RATCHET|GHE)_[A-Z0-9_]+[A-Z0-9]\b/gu), ([name]) => name),
  ),
);

/** Their names are made of the names of engines. */
const CONFIGS = new Set(CATALOGUE.map(({ id }) => `RATCHET_${id.toUpperCase().replaceAll('-', '_')}_CONFIG`));

describe('the table of contents', () => {
  const links = new Set(readDocument(readFileSync('docs/README.md', 'utf8')).links);

  it.each(MANUALS.filter((path) => path !== 'docs/README.md'))('names %s', (path) => {
    expect(links).toContain(path.replace('docs/', ''));
  });

  it('is named by the README', () => {
    expect(readDocument(readFileSync('README.md', 'utf8')).links).toContain('docs/README.md');
  });
});

/** A document with one block of commands. */
const withBlock = (text: string, before = ''): string => `# A page\n\n${before}\n\n\`\`\`sh\n${text}\n\`\`\`\n`;

describe('findProblems', () => {
  it.each([
    ['ratchet doctr', 'there is no command ratchet doctr'],
    ['npm run -s ratchet -- doctr', 'there is no command ratchet doctr'],
    ['ratchet doctor --call-modle', 'ratchet doctor has no flag --call-modle'],
    ['cd x && ratchet check \\\n  --bse main', 'ratchet check has no flag --bse'],
    ['ratchet session strat acme/widget#7', 'ratchet session has no action strat'],
    ['ratchet doctor; GHE_HOST=x ratchet serv', 'there is no command ratchet serv'],
    ['npm run chekc', 'there is no script npm run chekc'],
    ['npm tset', 'npm tset is none of the commands'],
    ['npx vitest run test/core/rendr', 'there is no test/core/rendr to run'],
    ['echo "a', 'the shell cannot read it'],
  ])('finds a wrong command in a block: %s', (line, problem) => {
    expect(findProblems('docs/x.md', withBlock(line))).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['a wrong flag in prose', 'Run `ratchet check --bse main`.', 'ratchet check has no flag --bse'],
    ['a command that is gone', 'See `ratchet merge OWNER/REPO#N`.', 'there is no command ratchet merge'],
    ['a comment command that is none', 'Comment `/ratchet enabel`.', 'there is no comment command enabel'],
    ['a broken link', '[x](gone.md)', 'gone.md leads to nothing'],
    ['a link out of the project', '[x](../../etc/passwd)', 'leads to nothing'],
    ['a broken anchor of another page', '[x](policy.md#gone)', 'leads to no heading of docs/policy.md'],
    ['a broken anchor of this page', '# A page\n\n[x](#b-page)', '#b-page leads to no heading'],
    ['a picture that is not there', '<img src="images/gone.png">', 'images/gone.png leads to nothing'],
    ['a mark without a reason', withBlock('npm test', '<!-- not run -->'), 'a mark needs a reason'],
    ['a mark with an empty reason', withBlock('npm test', '<!-- not run: -->'), 'a mark needs a reason'],
    ['commands without a language', '```\nratchet doctor\n```', 'this block has commands'],
    ['commands of another shell', '~~~bash\nratchet doctor\n~~~', 'its language is sh'],
    ['indented commands', 'Run:\n\n    ratchet doctor\n', 'this block has commands'],
    ['a mark before no block', '<!-- not run: needs a network -->\n\nText.', 'no block follows this mark'],
    ['JSON that cannot be parsed', '```json\n{ a: 1 }\n```', 'json cannot be parsed'],
  ])('finds %s', (_what, text, problem) => {
    expect(findProblems('docs/x.md', text)).toEqual([expect.stringContaining(problem)]);
  });

  it('finds nothing in a page that is right', () => {
    const text = [
      '# A page: `code` & more',
      '# Twice\n\n# Twice',
      '[a](#a-page-code--more), [b](#twice-1), [c](policy.md#layers), [d](https://example.com/x#y)',
      '`ratchet session start|list|end`, `ratchet <command> --help`, `/ratchet NAME`, `ratchet plan …`, `docker exec ratchet sh`',
      '- a list\n\n  ```sh\n  ratchet check --base main | head # --no-flag\n  ```',
      withBlock(
        'npm ci && npm run -s ratchet -- config print --json',
        '<!-- not run: needs a network, and minutes -->',
      ),
    ].join('\n\n');

    expect(findProblems('docs/x.md', text)).toEqual([]);
    expect(readDocument(text).blocks).toMatchObject([
      { text: 'ratchet check --base main | head # --no-flag', notRun: null, exitCode: 0 },
      { notRun: 'needs a network, and minutes' },
    ]);
  });
});
