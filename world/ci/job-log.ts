/** Collects a job's log in GitHub's format: every line starts with a timestamp. */
export type JobLog = {
  readonly add: (...lines: readonly string[]) => void;
  readonly text: () => string;
};

export function createJobLog(): JobLog {
  const lines: string[] = [];
  return {
    add: (...added) => {
      const prefix = new Date().toISOString().replace('Z', '0000Z');
      lines.push(...added.map((line) => `${prefix} ${line}`));
    },
    text: () => lines.map((line) => `${line}\n`).join(''),
  };
}

/** The header GitHub prints before a step's output. */
export function renderStepHeader(script: string): readonly string[] {
  const [first = ''] = script.split('\n');
  const commands = script.trimEnd().split('\n');
  return [
    `##[group]Run ${first}`,
    ...commands.map((command) => `\u001B[36;1m${command}\u001B[0m`),
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
  ];
}
