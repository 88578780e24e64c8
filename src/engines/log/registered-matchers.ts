import { cleanLine } from '../../core/evidence/clean-line.ts';
import { toWorkspacePath } from '../../core/evidence/workspace-path.ts';

/** Definitions that are read for one job. */
const MAX_DEFINITIONS = 5;
/** A longer line registers nothing. In bytes. */
const MAX_LINE_BYTES = 4096;
const NEWLINE = 10;
const COMMAND = /^(?:##\[add-matcher\]|::add-matcher::)(.+)$/u;

/** Collects the problem matchers that a job registers, from a log that is read piece by piece. */
export interface RegisteredMatchers {
  readonly push: (piece: Uint8Array) => void;
  /** Paths of the repository. The matchers of actions are elsewhere, and cannot be read. */
  readonly paths: () => readonly string[];
}

export function createRegisteredMatchers(): RegisteredMatchers {
  const found = new Set<string>();
  let rest = Buffer.alloc(0);
  const takeLine = (line: string): void => {
    const raw = COMMAND.exec(cleanLine(line, MAX_LINE_BYTES))?.[1]?.trim();
    const path = raw === undefined ? null : toWorkspacePath(raw);
    if (path !== null && found.size < MAX_DEFINITIONS) found.add(path);
  };
  return {
    push: (piece) => {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      const whole = bytes.subarray(0, end);
      // Most pieces register nothing, and are not decoded.
      if (whole.includes('add-matcher')) for (const line of whole.toString('utf8').split('\n')) takeLine(line);
      rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - MAX_LINE_BYTES)));
    },
    paths: () => {
      takeLine(rest.toString('utf8'));
      return [...found];
    },
  };
}
