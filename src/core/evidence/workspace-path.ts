/** Where runners check a repository out: `work` of GitHub's runners, `__w` of their containers, and `/github/workspace` of actions. */
const WORKSPACE = /^(?:[A-Za-z]:)?\/(?:(?:.*\/)?(?:work|_work|a)\/([^/]+)\/\1|__w\/([^/]+)\/\2|github\/workspace)\//u;
const ABSOLUTE = /^(?:[A-Za-z]:)?\//u;

/**
 * A path of a log, relative to the folder that the runner checked the repository out to; null for one outside of it. Whether the
 * repository has such a file is not known.
 */
export function toWorkspacePath(raw: string): string | null {
  const path = raw.replaceAll('\\', '/').replace(/^file:\/\//u, '');
  const workspace = WORKSPACE.exec(path)?.[0];
  if (workspace === undefined && ABSOLUTE.test(path)) return null;
  const parts = path
    .slice(workspace?.length ?? 0)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}

/** The folder that the runner checked the repository out to, as the text names it; null if it names none. */
export function findWorkspace(text: string): string | null {
  const match = /\/(?:home\/runner\/work|__w|Users\/runner\/work)\/([^/\s"']+)\/\1(?=[/"'\s]|$)/u.exec(text);
  return match === null ? null : match[0];
}
