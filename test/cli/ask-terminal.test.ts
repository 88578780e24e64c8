import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createReadLine, createTerminalAsk } from '../../src/cli/ask-terminal.ts';

const never = new AbortController().signal;

/** A terminal at which somebody types these lines; then it is closed. */
function typing(...lines: readonly string[]) {
  const prompts: string[] = [];
  const left = [...lines];
  const ask = createTerminalAsk(async (prompt) => {
    prompts.push(prompt);
    return left.shift() ?? null;
  });
  return { ask, prompts };
}

describe('reading a line of a terminal', () => {
  it('prints the prompt, and takes one line at a time', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const readLine = createReadLine(input, output);
    const first = readLine('name> ', never);
    input.write('Ada\n');

    expect(await first).toBe('Ada');
    expect(String(output.read())).toBe('name> ');
  });

  it('gives null once the input has ended', async () => {
    const input = new PassThrough();
    const line = createReadLine(input, new PassThrough())('> ', never);
    input.end();

    expect(await line).toBeNull();
  });

  it('rejects when its signal fires', async () => {
    const stop = new AbortController();
    const line = createReadLine(new PassThrough(), new PassThrough())('> ', stop.signal);
    stop.abort(new Error('stopped'));

    await expect(line).rejects.toThrow();
  });
});

describe('get_user_input at a terminal (004.R36)', () => {
  it('takes free text, and asks again after an empty line', async () => {
    const { ask, prompts } = typing('', '  because  ');

    expect(await ask({ question: 'Why?', choices: [] }, never)).toEqual({ kind: 'answered', text: 'because' });
    expect(prompts).toEqual(['\nWhy?\n> ', '\nWhy?\n> ']);
  });

  it('takes a choice by its number or its text, and nothing else', async () => {
    const { ask, prompts } = typing('3', 'perhaps', '2');

    expect(await ask({ question: 'Go?', choices: ['yes', 'no'] }, never)).toEqual({ kind: 'answered', text: 'no' });
    expect(prompts).toHaveLength(3);
    expect(prompts[0]).toBe('\nGo?\n  1) yes\n  2) no\nnumber or text> ');
  });

  it('shows no escape codes of whoever wrote the plan', async () => {
    const { ask, prompts } = typing('1');
    await ask({ question: '\u001B[2JAll is well\u202E', choices: ['\u001B]0;x\u0007yes'] }, never);

    expect(prompts.join('')).not.toMatch(/[\u001B\u0007\u202E]/u);
  });

  it('is refused, and never answered, when the terminal is closed', async () => {
    const { ask } = typing();

    expect(await ask({ question: 'Go?', choices: ['yes'] }, never)).toMatchObject({ kind: 'refused' });
  });

  it('asks one question after the other, also after one that was stopped', async () => {
    const stop = new AbortController();
    const typed = Promise.withResolvers<string>();
    const asked: string[] = [];
    const ask = createTerminalAsk(async (prompt, signal) => {
      asked.push(prompt.trim().split('\n')[0] ?? '');
      if (asked.length > 1) return 'two';
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        void typed.promise.then(resolve);
      });
    });
    const first = ask({ question: 'First?', choices: [] }, stop.signal);
    const second = ask({ question: 'Second?', choices: [] }, never);
    await Promise.resolve();
    const before = [...asked];
    stop.abort();

    await expect(first).rejects.toThrow('stopped');
    expect(await second).toEqual({ kind: 'answered', text: 'two' });
    expect([before, asked]).toEqual([['First?'], ['First?', 'Second?']]);
  });
});
