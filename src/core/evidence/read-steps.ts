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

/** GitHub Actions and Azure Pipelines mark each step. */
const MARKED = /^##\[(?:group\]Run|section\]Starting:) (?<command>.+)/u;
/** Travis CI shows each command. Programs show theirs in the same way, so a marked log is read by its marks alone. */
const SHOWN = /^\$ (?<command>\S.*)/u;
const EXIT =
  /^(?:##\[error\])?(?:Error: )?Process completed with exit code (?!0\b)\d|^The command "(?<command>.*)" (?:exited with (?!0\b)\d|failed and exited)|^##\[error\](?:Bash|PowerShell|Cmd\.exe) exited with code|^ERROR: Job failed/u;
/** Maven names each goal before it runs, and sums up below the last one, which is the one that failed. */
const GOAL = /^\[INFO\] --- (?<command>\S.*) ---$/u;
const SUMMARY = /^\[INFO\] Reactor Summary\b/u;
const BUILD_END = /^\[INFO\] BUILD (?<end>FAILURE|SUCCESS)$/u;
const MAX_COMMAND_LENGTH = 500;
const MAX_FIRST = 100;
const MAX_LAST = 100;
/** So many commands are remembered, to find the one that an exit repeats. */
const MAX_STARTS = 200;

interface Goal {
  readonly command: string;
  readonly from: number;
  /** Where the summary begins; null before that. */
  readonly exit: number | null;
}

export function createStepReader(): StepReader {
  let isMarked = false;
  let goal: Goal | null = null;
  const starts: { readonly command: string; readonly index: number }[] = [];
  const first: LogStep[] = [];
  const last: LogStep[] = [];
  const start = (line: string, index: number): boolean => {
    const marked = toCommand(MARKED, line);
    const command = marked ?? (isMarked ? null : toCommand(SHOWN, line));
    if (command === null) return false;
    isMarked ||= marked !== null;
    starts.push({ command, index });
    if (starts.length > MAX_STARTS) starts.shift();
    return true;
  };
  /** Where the step began that ends: the command that the exit repeats, or else the last one. */
  const findStart = (repeated: string | undefined): Pick<LogStep, 'command' | 'from'> => {
    const begun = repeated === undefined ? starts.at(-1) : starts.findLast(({ command }) => command === repeated);
    const before = [...first, ...last].at(-1)?.exit ?? 0;
    return { command: repeated ?? begun?.command ?? '', from: begun?.index ?? before };
  };
  const add = (step: LogStep): void => {
    (first.length < MAX_FIRST ? first : last).push(step);
    if (last.length > MAX_LAST) last.shift();
  };
  const takeGoal = (line: string, index: number): 'command' | 'exit' | null => {
    const command = toCommand(GOAL, line);
    if (command !== null) {
      goal = { command, from: index, exit: null };
      return 'command';
    }
    const end = BUILD_END.exec(line)?.groups?.['end'];
    if (goal === null || (end === undefined && !SUMMARY.test(line))) return null;
    const { exit } = goal;
    if (end === 'FAILURE') add({ ...goal, exit: exit ?? index });
    goal = end === undefined ? { ...goal, exit: index } : null;
    return 'exit';
  };
  return {
    take: (line, index) => {
      const code = line.charCodeAt(0);
      if ((code === HASH || code === DOLLAR) && start(line, index)) return 'command';
      if (code === BRACKET) return takeGoal(line, index);
      const exit = EXIT.exec(line);
      if (exit === null) return null;
      const repeated = exit.groups?.['command']?.slice(0, MAX_COMMAND_LENGTH);
      add({ ...findStart(repeated), exit: index });
      return 'exit';
    },
    command: () => starts.at(-1)?.command ?? null,
    failed: () => [...first, ...last],
  };
}

const HASH = 35;
const DOLLAR = 36;
const BRACKET = 91;

function toCommand(form: RegExp, line: string): string | null {
  return form.exec(line)?.groups?.['command']?.slice(0, MAX_COMMAND_LENGTH) ?? null;
}
