/** A command of a job that failed. */
export interface LogStep {
  /** As the log shows it, on one line; empty if it does not. */
  readonly command: string;
  /** The line that shows the command. */
  readonly from: number;
  /** The line that reports that it failed. */
  readonly exit: number;
}

/** Follows the steps of a log line by line. */
export interface StepReader {
  readonly take: (line: string, index: number) => 'command' | 'exit' | null;
  /** The command that runs; null before the first one. */
  readonly command: () => string | null;
  readonly failed: () => readonly LogStep[];
}

const COMMANDS: readonly RegExp[] = [
  /^##\[group\]Run (?<command>.+)/u,
  /^##\[section\]Starting: (?<command>.+)/u,
  /^\$ (?<command>\S.*)/u,
  /^\+ (?<command>[\w./-].*)/u,
];
const EXIT =
  /^(?:##\[error\])?(?:Error: )?Process completed with exit code (?!0\b)\d+|^The command "(?<command>.*)" (?:exited with (?!0\b)\d+|failed and exited)|^##\[error\](?:Bash|PowerShell|Cmd\.exe) exited with code|^ERROR: Job failed/u;
const MAX_COMMAND_LENGTH = 500;
const MAX_FIRST = 100;
const MAX_LAST = 100;

export function createStepReader(): StepReader {
  let command: string | null = null;
  let from = 0;
  const first: LogStep[] = [];
  const last: LogStep[] = [];
  return {
    take: (line, index) => {
      const started = toCommand(line);
      if (started !== null) {
        command = started;
        from = index;
        return 'command';
      }
      const exit = EXIT.exec(line);
      if (exit === null) return null;
      const step = {
        command: exit.groups?.['command']?.slice(0, MAX_COMMAND_LENGTH) ?? command ?? '',
        from,
        exit: index,
      };
      if (first.length < MAX_FIRST) first.push(step);
      else last.push(step);
      if (last.length > MAX_LAST) last.shift();
      return 'exit';
    },
    command: () => command,
    failed: () => [...first, ...last],
  };
}

function toCommand(line: string): string | null {
  // No other line is worth the trials: `#`, `$` and `+`.
  if (!/^[#$+]/u.test(line)) return null;
  for (const pattern of COMMANDS) {
    const command = pattern.exec(line)?.groups?.['command'];
    if (command !== undefined) return command.slice(0, MAX_COMMAND_LENGTH);
  }
  return null;
}
