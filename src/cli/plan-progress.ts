import type { StepResult } from '../core/model/plan-run.ts';
import { toStepLine } from '../core/render/render-plan-run.ts';
import { stripInvisible } from '../core/text/escape.ts';

/** Shows on stderr which steps run and how they ended. */
export interface PlanProgress {
  readonly onChange: (
    change:
      | { readonly kind: 'started'; readonly key: string; readonly attempt: number }
      | { readonly kind: 'ended'; readonly key: string; readonly result: StepResult },
  ) => void;
  readonly say: (line: string) => void;
  /** Clears the status line while something else uses the terminal. */
  readonly clear: () => void;
}

/** Returns to the first column and erases the line. */
const CLEAR_LINE = '\r\u001B[K';
/** Most terminals wrap a longer line, and then it cannot be cleared. */
const MAX_COLUMNS = 79;
const MAX_NAMES = 8;

/** In a terminal: a line for each end, and below it one status line. Elsewhere, for logs: plain lines for starts and ends. */
export function createPlanProgress({
  tell,
  isTerminal,
  steps,
}: {
  readonly tell: (text: string) => void;
  readonly isTerminal: boolean;
  readonly steps: number;
}): PlanProgress {
  const running = new Set<string>();
  const ended = new Set<string>();
  const clear = isTerminal ? CLEAR_LINE : '';
  const show = (): void => {
    if (isTerminal && running.size > 0) tell(`${CLEAR_LINE}${toStatusLine([...running], ended.size, steps)}`);
  };
  const say = (line: string): void => {
    tell(`${clear}${line}\n`);
    show();
  };
  return {
    onChange: (change) => {
      if (change.kind === 'started') {
        running.add(change.key);
        if (isTerminal) show();
        else tell(`${toName(change.key)}  started${change.attempt > 1 ? ` again (${change.attempt})` : ''}\n`);
        return;
      }
      running.delete(change.key);
      ended.add(change.key);
      say(toStepLine(change.key, change.result));
    },
    say,
    clear: () => {
      if (isTerminal && running.size > 0) tell(CLEAR_LINE);
    },
  };
}

function toStatusLine(running: readonly string[], ended: number, steps: number): string {
  const more = running.length > MAX_NAMES ? ` and ${running.length - MAX_NAMES} more` : '';
  const line = `${ended} of ${steps} ended, running ${running.slice(0, MAX_NAMES).map(toName).join(', ')}${more}`;
  return line.length < MAX_COLUMNS ? `${line} …` : `${line.slice(0, MAX_COLUMNS - 2)} …`;
}

function toName(key: string): string {
  return stripInvisible(key).replaceAll(/\s+/gu, ' ').slice(0, MAX_COLUMNS);
}
