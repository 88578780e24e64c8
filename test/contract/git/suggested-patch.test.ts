import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { renderSuggestion } from '../../../src/core/render/render-suggestion.ts';
import { cutToLines } from '../../../src/core/text/cut-bytes.ts';
import { aFixup } from '../../support/builders.ts';

const ENV = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

/** What a page shows of a code block: it keeps no carriage return. */
function copyFromPage(markdown: string, language: string): string {
  const [, code = ''] =
    new RegExp(`\`\`\`+${language}\\n([^]*?)\\n\`\`\`+(?:\\n|$)`, 'u').exec(markdown.replaceAll('\r', '')) ?? [];
  return code;
}

/** A person saves the patch from the page and runs the commands beside it; the file then. */
async function applyAsShown(before: string, after: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'ratchet-patch-'));
  const git = async (...args: readonly string[]): Promise<string> =>
    (await execa('git', ['-c', 'core.autocrlf=false', ...args], { cwd, env: ENV, stripFinalNewline: false })).stdout;
  try {
    await git('init', '-q');
    await writeFile(join(cwd, 'notes.txt'), before);
    await git('add', '.');
    await writeFile(join(cwd, 'notes.txt'), after);
    const patch = await git('diff');
    await git('checkout-index', '--force', '--all');
    const [shown = '', steps = ''] = renderSuggestion({ patch }, aFixup());
    await writeFile(join(cwd, 'fix.patch'), `${copyFromPage(shown, 'diff')}\n`);
    await execa('sh', ['-ec', copyFromPage(steps, 'sh')], { cwd, env: ENV });
    return await readFile(join(cwd, 'notes.txt'), 'utf8');
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

describe('a suggested patch, copied from the page, makes exactly the change that was proven', () => {
  it.each([
    ['a file with Unix line ends', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['a file with Windows line ends', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n'],
    ['a file with both', 'a\r\nb\nc\r\n', 'a\r\nB\r\nc\n'],
    ['a file that becomes one with Unix line ends', 'a\r\nb\r\n', 'a\nb\n'],
    ['a file without a line end at its end', 'a\r\nb', 'a\r\nB'],
    ['a lone carriage return in a line', 'a\rb\nc\n', 'a\rb\nC\n'],
    ['a fence in the file', '```\r\ncode\r\n```\r\n', '```\r\nbetter\r\n```\r\n'],
    ['the mark in the file', 'a ␍\r\nb\r\n', 'a ␍\r\nB\r\n'],
  ])('%s', async (_what, before, after) => {
    expect(await applyAsShown(before, after)).toBe(after);
  });
});

describe('a patch that is cut', () => {
  it('gets no fence of Markdown into it, and says that it is cut', () => {
    const patch = ` \`\`\`js\n${'+x\n'.repeat(20)}`;

    expect(cutToLines(patch, 40)).toBe(` \`\`\`js\n${'+x\n'.repeat(7)}… (cut)`);
  });
});
