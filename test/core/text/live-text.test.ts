import { describe, expect, it } from 'vitest';
import { parseSessionId, parseSha } from '../../../src/core/model/ids.ts';
import { toCommitMessage } from '../../../src/core/sessions/commit-message.ts';
import { toInertName, toInlineCode, toPlainText } from '../../../src/core/text/escape.ts';
import { expectInert, proseOf } from '../../support/hostile-text.ts';

const SHA = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const WORD_JOINER = '\u2060';

/** What GitHub or another system acts on, as the name of a check, branch or file, or as an agent's words. */
const LIVE_TEXTS: readonly (readonly [text: string, inCommit: string])[] = [
  ['fixes #12', 'fixes 12'],
  ['Closes: #12', 'Closes: 12'],
  ['resolves GH-12', 'resolves GH 12'],
  ['gh-7', 'gh 7'],
  ['fixes acme/widget#12', 'fixes acme/widget 12'],
  ['closes https://github.com/acme/widget/issues/12', 'closes https //github.com/acme/widget/issues/12'],
  ['HTTPS://github.com/acme', 'HTTPS //github.com/acme'],
  ['#12', '12'],
  ['@octocat', 'octocat'],
  ['@acme/team', 'acme/team'],
  ['ask a@b.example', 'ask a b.example'],
  ['acme/widget@4b825dc642', 'acme/widget 4b825d…'],
  [SHA, '4b825d…'],
  [`deploy ${SHA.toUpperCase()}`, 'deploy 4B825D…'],
  [`(${SHA})`, '(4b825d…)'],
  ['at 4b825dc6', 'at 4b825d…'],
  ['1'.repeat(40), '111111…'],
  [':tada: build', 'tada: build'],
  [':heart_eyes:', 'heart_eyes:'],
  ['a:+1:b', 'a +1:b'],
  ['[skip ci]', 'skip ci'],
  ['lint [ci skip]', 'lint ci skip'],
  ['***NO_CI***', 'NO_CI'],
  ['x\nCo-authored-by: Eve <eve@example.com>', 'x Co-authored-by: Eve eve example.com'],
  ['x\r\n\r\nSigned-off-by: Eve <e@x.example>', 'x Signed-off-by: Eve e x.example'],
  ['x\u2028Ratchet-Attempt: forged', 'xRatchet-Attempt: forged'],
  ['skip-checks: true\n', 'skip-checks: true'],
  ['!12', '12'],
  ['$(id)', '(id)'],
  ['`x`', 'x'],
  ['www.evil.example', 'www.evil.example'],
  ['\u202Efixes', 'fixes'],
];

describe('what GitHub makes live (T55)', () => {
  it.each(LIVE_TEXTS)('is dead in the Markdown of %j', (text) => {
    expectInert(toPlainText(text, 500));
    expectInert(`x ${toPlainText(text, 500)} y`);
    expectInert(`x ${toInlineCode(text)} y`);
  });

  it.each(LIVE_TEXTS)('is dead in a commit message with %j', (text, inCommit) => {
    expect(toInertName(text, 500)).toBe(inCommit);
  });

  it.each(LIVE_TEXTS)('begins no line and no trailer with %j', (text) => {
    const sha = parseSha(SHA);
    const fixup = { action: 'FIX_CI', causeKey: 'k', headSha: sha, headRef: text, baseSha: sha } as const;
    const made = { ...fixup, attempt: 1, agent: 'fake', signature: null };
    const id = parseSessionId('session-1');
    const messages = [
      toCommitMessage(id, made, { kind: 'ci', failingChecks: [text] }),
      toCommitMessage(id, made, {
        ...{ kind: 'merge', baseRef: text, headRef: text },
        resolved: [{ by: 'structure', tool: text, paths: [text] }],
      }),
    ];

    for (const message of messages) {
      expect(message).not.toMatch(/^(?:Co-authored|Signed-off|skip-checks|Ratchet-Attempt: forged)/imu);
      expect(message).not.toMatch(/[#@[\]<>]|:\/\/|\bGH-\d|[\da-f]{40}|:[\w+-]+:/iu);
    }
  });

  it.each([
    'ci / test (20, ubuntu-latest)',
    'at 10:00:00',
    'run 12345678901',
    'build:lint',
    'a defaced wall',
    'x1234abcd',
    'src/a-b_c.test.ts',
    'Prüfung 3',
  ])('%j stays as it is', (text) => {
    expect(toInertName(text, 500)).toBe(text);
    expect(proseOf(toPlainText(text, 500))).toBe(text);
  });

  it('joins the parts of an id, so that no part of it is one', () => {
    expect(toPlainText('at 4b825dc6', 50)).toBe(`at 4b825d${WORD_JOINER}c6`);
    expect(toPlainText(SHA, 50).split(WORD_JOINER)).toEqual(SHA.match(/.{1,6}/gu));
  });

  it('is cut to its length', () => {
    expect(toInertName('abcdef', 3)).toBe('abc');
    expect(toInertName('ab😀', 3)).toBe('ab');
  });
});
