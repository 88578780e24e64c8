import { toProjectName } from '../core/model/project.ts';
import { toCountText, toSecondsText } from '../core/text/words.ts';
import type { EngineProgress } from '../pipeline/engines/run-engines.ts';

/** Shows on stderr which engines are running. */
export interface CheckProgress {
  readonly onEvent: (event: EngineProgress) => void;
  /** The same for runs at the base. */
  readonly onBaseEvent: (event: EngineProgress) => void;
  /** Prints a separate line above the status line. */
  readonly say: (line: string) => void;
  /** Clears the status line. */
  readonly end: () => void;
}

/** Returns to the first column and erases the line. */
const CLEAR_LINE = '\r\u001B[K';
/** Most terminals wrap a longer line, and then it cannot be cleared. */
const MAX_COLUMNS = 79;

/** In a terminal: one status line that is rewritten. Elsewhere, for logs: one line per engine that finished. */
export function createCheckProgress({
  tell,
  isTerminal,
}: {
  readonly tell: (text: string) => void;
  readonly isTerminal: boolean;
}): CheckProgress {
  const running = new Set<string>();
  const clear = isTerminal ? CLEAR_LINE : '';
  const show = (): void => {
    if (isTerminal) tell(`${clear}${toWorkLine([...running])}`);
  };
  const onEvent = (event: EngineProgress, what: string): void => {
    const name = `${toProjectName(event)} (${what})`;
    if (event.kind === 'started') running.add(name);
    else running.delete(name);
    if (!isTerminal && event.kind !== 'started') tell(`${name}: ${toEndWords(event)}\n`);
    show();
  };
  return {
    onEvent: (event) => onEvent(event, event.mode),
    onBaseEvent: (event) => onEvent(event, 'base'),
    say: (line) => {
      tell(`${clear}${line}\n`);
      if (running.size > 0) show();
    },
    end: () => {
      if (running.size > 0) tell(clear);
      running.clear();
    },
  };
}

function toWorkLine(names: readonly string[]): string {
  if (names.length === 0) return '';
  const line = `running ${names.join(', ')}`;
  return line.length < MAX_COLUMNS ? `${line} …` : `${line.slice(0, MAX_COLUMNS - 2)} …`;
}

function toEndWords({
  kind,
  findings,
  error,
  durationMs,
}: Exclude<EngineProgress, { readonly kind: 'started' }>): string {
  return `${toCountText(findings, 'finding')}${error === null ? '' : `, ${error}`}${kind === 'cached' ? ', from the cache' : `, ${toSecondsText(durationMs)}`}`;
}
