import { describe, expect, it } from 'vitest';
import { toInertLog, toWorkflowCommand, type WorkflowAnnotation } from '../../../src/core/render/workflow-commands.ts';

const ANNOTATION: WorkflowAnnotation = {
  kind: 'error',
  title: 'eslint no-var',
  message: 'Unexpected var.',
  file: 'src/a.ts',
  line: 3,
  endLine: null,
  column: 7,
};

/** As the runner reads a line: `::name key=value,…::data`, in which only these sequences stand for something else. */
function readCommand(text: string): { readonly properties: Readonly<Record<string, string>>; readonly data: string } {
  expect(text).not.toMatch(/[\r\n]/u);
  const [, properties = '', data = ''] = /^::\w+ (.*?)::(.*)$/u.exec(text) ?? [];
  const pairs = properties.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), unescape(pair.slice(at + 1))] as const;
  });
  return { properties: Object.fromEntries(pairs), data: unescape(data) };
}

const MEANINGS = { '%25': '%', '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',' } as const;

function unescape(text: string): string {
  return Object.entries(MEANINGS)
    .toReversed()
    .reduce((left, [from, to]) => left.replaceAll(from, to), text);
}

describe('an annotation of GitHub Actions', () => {
  it.each<readonly [Partial<WorkflowAnnotation>, string]>([
    [{}, '::error title=eslint no-var,file=src/a.ts,line=3,col=7::Unexpected var.'],
    [
      { kind: 'warning', endLine: 3 },
      '::warning title=eslint no-var,file=src/a.ts,line=3,endLine=3,col=7::Unexpected var.',
    ],
    [{ endLine: 5 }, '::error title=eslint no-var,file=src/a.ts,line=3,endLine=5::Unexpected var.'],
    [{ kind: 'notice', file: null }, '::notice title=eslint no-var::Unexpected var.'],
  ])('%j', (change, expected) => {
    expect(toWorkflowCommand({ ...ANNOTATION, ...change })).toBe(expected);
  });

  it.each(['100 %', '%0A::warning::x', 'a\n::add-mask::b', 'a\r::stop-commands::b', 'a,line=1::b', '::'])(
    'keeps hostile text inside: %j',
    (text) => {
      const command = readCommand(toWorkflowCommand({ ...ANNOTATION, title: text, message: text, file: text }));

      expect(command.properties).toEqual({ title: text, file: text, line: '3', col: '7' });
      expect(command.data).toBe(text.replaceAll('\r', '\n'));
    },
  );
});

describe('text for the log of a step', () => {
  it.each([
    ['fine', 'fine'],
    ['a::b', 'a::b'],
    ['::error::x', ': :error::x'],
    ['ok\n \t::add-mask::x\n', 'ok\n \t: :add-mask::x\n'],
    ['a\r::x', 'a\r: :x'],
    ['a\u2028::x', 'a\u2028: :x'],
    ['src ##[add-matcher]x ##[group]', 'src ## [add-matcher]x ## [group]'],
  ])('has no command: %j', (text, expected) => {
    expect(toInertLog(text)).toBe(expected);
  });
});
