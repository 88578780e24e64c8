/** The runner marks the line that ends a failed step. */
export const ERROR_MARK = '##[error]';

/** How the line of a step begins that tells its failure. */
const END = /^(?:##\[error\]|The command ".*" (?:failed and )?exited with [1-9])/u;

/** The output of each step with an error; all output if no step reports one. Without the scripts that the runner shows first. */
export function toFailedSteps(lines: readonly string[]): readonly (readonly string[])[] {
  const steps = toSteps(lines);
  const failed = steps.filter((step) => step.some((line) => line.startsWith(ERROR_MARK)));
  return failed.length === 0 ? steps : failed;
}

function toSteps(lines: readonly string[]): readonly (readonly string[])[] {
  const steps: string[][] = [[]];
  let isHeader = false;
  for (const line of lines) {
    if (line.startsWith('##[group]Run ')) {
      isHeader = true;
      steps.push([]);
    } else if (isHeader) isHeader = line !== '##[endgroup]';
    else steps.at(-1)?.push(line);
  }
  return steps;
}

/** A step up to the last line that tells its failure. What comes later is about cleaning up. */
export function toEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => END.test(line));
  return last === -1 ? lines : lines.slice(0, last + 1);
}
