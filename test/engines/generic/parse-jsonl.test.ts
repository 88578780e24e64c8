import { describe, expect, it } from 'vitest';
import { createJsonlParser } from '../../../src/engines/generic/parse-jsonl.ts';
import { anInput, parsed } from './parse-input.ts';

const parse = createJsonlParser('lint');

function toLines(...findings: readonly object[]): string {
  return findings.map((finding) => `${JSON.stringify(finding)}\n`).join('');
}

describe('createJsonlParser', () => {
  it('reads a finding with all that it may say, and one with as little as it must', () => {
    const text = toLines(
      {
        path: 'a/b.c',
        line: 3,
        column: 5,
        endLine: 4,
        severity: 'error',
        rule: 'R1',
        message: 'no',
        kind: 'type',
        testId: 't',
      },
      { severity: 'low', message: 'hm' },
    );

    expect(parsed(parse, text)).toEqual({
      kind: 'parsed',
      findings: [
        {
          kind: 'type',
          rule: 'R1',
          severity: 'high',
          native: 'error',
          message: 'no',
          path: 'a/b.c',
          line: 3,
          column: 5,
          endLine: 4,
          testId: 't',
          identity: 'R1',
        },
        {
          kind: 'lint',
          rule: null,
          severity: 'low',
          native: 'low',
          message: 'hm',
          path: null,
          line: null,
          column: null,
          endLine: null,
          testId: null,
          identity: null,
        },
      ],
      partial: null,
      toolFailure: null,
      tests: null,
      coverage: null,
    });
  });

  it.each([
    ['blocker', 'blocker'],
    ['high', 'high'],
    ['error', 'high'],
    ['medium', 'medium'],
    ['warning', 'medium'],
    ['low', 'low'],
    ['info', 'low'],
    ['note', 'low'],
  ])('C14: maps the severity %s to %s, and keeps the word', (native, severity) => {
    expect(parsed(parse, toLines({ severity: native, message: 'm' })).findings).toMatchObject([{ severity, native }]);
  });

  it('takes paths from the folder that the command ran in, or absolute ones', () => {
    const text = toLines(
      { path: './x.c', severity: 'low', message: 'm' },
      { path: '/repo/y.c', severity: 'low', message: 'm' },
    );

    expect(parsed(parse, text, { cwd: 'sub' }).findings.map(({ path }) => path)).toEqual(['sub/x.c', 'y.c']);
  });

  it('has no column without a line, and no line without a path', () => {
    const text = toLines(
      { path: 'x', column: 2, severity: 'low', message: 'm' },
      { line: 2, severity: 'low', message: 'm' },
    );

    expect(parsed(parse, text).findings).toMatchObject([
      { line: null, column: null },
      { path: null, line: null },
    ]);
  });

  it('takes blank lines and lines of Windows for nothing', () => {
    expect(parsed(parse, '\r\n{"severity":"low","message":"m"}\r\n\n').findings).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'Traceback (most recent call last):', 'no JSON'],
    ['half a line', '{"severity":"low","mess', 'no JSON'],
    ['no object', '[]', 'expected object'],
    ['an unknown key', '{"severity":"low","message":"m","file":"x"}', '"file"'],
    ['no message', '{"severity":"low"}', 'message'],
    ['an empty message', '{"severity":"low","message":""}', 'message'],
    ['an unknown severity', '{"severity":"bad","message":"m"}', 'severity'],
    ['line 0', '{"severity":"low","message":"m","path":"x","line":0}', 'line'],
    ['half a line number', '{"severity":"low","message":"m","path":"x","line":1.5}', 'line'],
    ['a path outside of the root', '{"severity":"low","message":"m","path":"../x"}', 'path'],
    ['the root as a file', '{"severity":"low","message":"m","path":"."}', 'path'],
    ['an unknown kind', '{"severity":"low","message":"m","kind":"x"}', 'kind'],
  ])('C2: takes output with %s for invalid, and names the line', (_what, line, why) => {
    const payload = parse(anInput(`{"severity":"low","message":"m"}\n\n${line}\n`));

    expect(payload.kind === 'invalid' ? payload.why : '').toMatch(/^line 3: /u);
    expect(JSON.stringify(payload).toLowerCase()).toContain(JSON.stringify(why).slice(1, -1).toLowerCase());
  });

  it('reads no more than 25,000 findings, and is partial then', () => {
    const line = toLines({ severity: 'low', message: 'm' });

    expect(parsed(parse, line.repeat(25_000)).partial).toBeNull();
    const { findings, partial } = parsed(parse, line.repeat(25_001));
    expect(findings).toHaveLength(25_000);
    expect(partial).toContain('25000');
  });

  it('cuts a message, and refuses a line of megabytes in a few words', () => {
    expect(parsed(parse, toLines({ severity: 'low', message: 'x'.repeat(10_000) })).findings[0]?.message).toHaveLength(
      4096,
    );
    expect(JSON.stringify(parse(anInput('x'.repeat(10_000_000)))).length).toBeLessThan(500);
  });

  it('tells missing output from empty output', () => {
    expect(parse(anInput(null))).toEqual({ kind: 'missing' });
    expect(parse(anInput('\n'))).toEqual({ kind: 'empty' });
  });
});
