import { PROTECTED_PATHS } from '../judge/protected-paths.ts';
import type { SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';

/** What is fixed. Becomes part of the task's id, and its `tool`. */
export type TaskTool = 'ci' | 'review' | 'merge';

export function toTaskId(sessionId: SessionId, tool: TaskTool): string {
  return `${sessionId}-${tool}`;
}

/** Globs that an agent may not change. */
export function toReadOnlyPaths({ protectedPaths }: Policy['changes']): readonly string[] {
  return ['.git/', ...PROTECTED_PATHS, ...protectedPaths];
}
