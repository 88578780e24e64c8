import { PROTECTED_PATHS } from '../judge/protected-paths.ts';
import type { RunId, SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';

/** What a fixup fixes. */
export type FixupTool = 'ci' | 'review' | 'merge';
/** The part of a task's id after that of its run: what a fixup fixes, or the number of a task. */
export type TaskTool = FixupTool | `t${number}`;

export function toTaskId(sessionId: SessionId | RunId, tool: TaskTool): string {
  return `${sessionId}-${tool}`;
}

/** Globs that an agent may not change. */
export function toReadOnlyPaths({ protectedPaths }: Policy['changes']): readonly string[] {
  return ['.git/', ...PROTECTED_PATHS, ...protectedPaths];
}
