import { toParents } from './canonical-scope.ts';

/** Whether the code of a project has its dependencies: neither it nor a folder around it lacks any. */
export function toDependencies(
  { dependencies, lacking = [] }: { readonly dependencies: 'ready' | 'missing'; readonly lacking?: readonly string[] },
  project: string,
): 'ready' | 'missing' {
  if (dependencies === 'missing') return 'missing';
  return [project, ...toParents(project)].some((folder) => lacking.includes(folder)) ? 'missing' : 'ready';
}
