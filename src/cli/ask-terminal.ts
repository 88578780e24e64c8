import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { readAnswer } from '../core/execution/read-answer.ts';
import { stripInvisible } from '../core/text/escape.ts';
import type { AskPerson } from '../ports/ask-person.ts';

/** Prints a text and reads one line. null: the input has ended. Rejects when the signal fires. */
export type ReadLine = (prompt: string, signal: AbortSignal) => Promise<string | null>;

/** Reads lines of a terminal. The terminal itself edits the line, so Ctrl-C stays a signal to the process. */
export function createReadLine(input: Readable, output: Writable): ReadLine {
  return async (prompt, signal) => {
    const lines = createInterface({ input, output, terminal: false });
    const closed = new Promise<null>((resolve) => void lines.once('close', () => resolve(null)));
    try {
      return await Promise.race([lines.question(prompt, { signal }), closed]);
    } finally {
      lines.close();
    }
  };
}

/** Asks the steps' questions one after the other, although several steps may ask at once. An answer that is none is asked for again. */
export function createTerminalAsk(readLine: ReadLine): AskPerson {
  let last: Promise<unknown> = Promise.resolve();
  return ({ question, choices }, signal) => {
    const prompt = toPrompt(question, choices);
    const turn = last.then(async () => {
      for (;;) {
        signal.throwIfAborted();
        const line = await readLine(prompt, signal);
        if (line === null) return { kind: 'refused', why: 'the terminal was closed without an answer' } as const;
        const text = readAnswer(line, choices);
        if (text !== null) return { kind: 'answered', text } as const;
      }
    });
    // Whoever waits in the line goes on, however this question ends.
    last = turn.catch(() => undefined);
    return turn;
  };
}

function toPrompt(question: string, choices: readonly string[]): string {
  const lines = choices.map((choice, index) => `  ${index + 1}) ${stripInvisible(choice)}\n`);
  return `\n${stripInvisible(question)}\n${lines.join('')}${choices.length === 0 ? '> ' : 'number or text> '}`;
}
