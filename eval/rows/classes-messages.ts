import { IN_THE_CODE } from '../data/messages/in-the-code.ts';
import type { LabelledMessage } from '../data/messages/message.ts';
import { OUTSIDE_OF_THE_CODE } from '../data/messages/outside-of-the-code.ts';
import type { EvalRow } from '../row.ts';
import { classify, type LabelledCase, toClassLines, toClassMisses } from './class-lines.ts';

/** Messages of tools, each as the end of a job's log. */
export const classesMessages: EvalRow = {
  name: 'classes-messages',
  about: 'classes of messages that tools document',
  measure: async ({ select }) => {
    const messages = [...select(OUTSIDE_OF_THE_CODE), ...select(IN_THE_CODE)];
    const cases = messages.map(toCase).map(classify);
    return {
      lines: toClassLines(classesMessages.name, 'messages', cases, {
        recall: { atLeast: 90 },
        precision: { atLeast: 95 },
      }),
      misses: toClassMisses(cases),
      notes: [],
    };
  },
};

function toCase({ is, tool, text }: LabelledMessage): LabelledCase {
  const [cause = ''] = text.split('\n');
  const label = is === 'infrastructure' || is === 'flake' ? 'outside' : is;
  return { item: tool, is: label, cause, log: toJobLog(text) };
}

/** What ends a step by itself has no exit line below it. */
const ENDS_THE_STEP = /##\[error\]|lost communication|execution time|not acquired|was not started/u;

/** A log of GitHub Actions whose only step printed this. */
export function toJobLog(text: string): Buffer {
  const exit = ENDS_THE_STEP.test(text) ? [] : ['##[error]Process completed with exit code 1.'];
  const lines = [
    '##[group]Run make all',
    'make all',
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    ...text.split('\n'),
    ...exit,
  ];
  return Buffer.from(lines.map((line) => `2026-03-01T08:00:00.0000000Z ${line}\n`).join(''));
}
