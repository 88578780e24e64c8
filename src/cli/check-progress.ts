import type { EngineProgress } from '../pipeline/engines/run-engines.ts';

/** Tells on stderr what is at work. */
export interface CheckProgress {
  readonly onEvent: (event: EngineProgress) => void;
  /** The same for what is looked at to compare with. */
  readonly onBaseEvent: (event: EngineProgress) => void;
  /** A line of its own, above the one that shows what is at work. */
  readonly say: (line: string) => void;
  /** Clears the line that shows what is at work. */
  readonly end: () => void;
}

/** Back to the first column, and nothing to the right of it. */
const CLEAR_LINE = '\r\u001B[K';
/** A longer line would be broken by most terminals, and then not be cleared. */
const MAX_COLUMNS = 79;

/** At a terminal one line that changes; elsewhere a line for each engine that ended, as a log wants it. */
export function createCheckProgress({
  tell,
  isTerminal,
}: {
  readonly tell: (text: string) => void;
  readonly isTerminal: boolean;
}): CheckProgress {
  const atWork = new Set<string>();
  const clear = isTerminal ? CLEAR_LINE : '';
  const show = (): void => {
    if (isTerminal) tell(`${clear}${toWorkLine([...atWork])}`);
  };
  const onEvent = (event: EngineProgress, what: string): void => {
    const name = `${event.engine} (${what})`;
    if (event.kind === 'started') atWork.add(name);
    else atWork.delete(name);
    if (!isTerminal && event.kind !== 'started') tell(`${name}: ${toEndWords(event)}\n`);
    show();
  };
  return {
    onEvent: (event) => onEvent(event, event.mode),
    onBaseEvent: (event) => onEvent(event, 'base'),
    say: (line) => {
      tell(`${clear}${line}\n`);
      if (atWork.size > 0) show();
    },
    end: () => {
      if (atWork.size > 0) tell(clear);
      atWork.clear();
    },
  };
}

function toWorkLine(names: readonly string[]): string {
  if (names.length === 0) return '';
  const line = `running ${names.join(', ')}`;
  return line.length < MAX_COLUMNS ? `${line} …` : `${line.slice(0, MAX_COLUMNS - 2)} …`;
}

function toEndWords({ kind, findings, error }: Exclude<EngineProgress, { readonly kind: 'started' }>): string {
  const count = `${String(findings)} finding${findings === 1 ? '' : 's'}`;
  return `${count}${error === null ? '' : `, ${error}`}${kind === 'cached' ? ', from the cache' : ''}`;
}
