import type { GitHub } from '../../ports/github.ts';

type Reads = Pick<GitHub, 'readPermission' | 'readPullRequest'>;

/** Caches reads for the commands of one look, so that many commands cannot cause many calls. */
export function readOnce(github: Reads): Reads {
  const permissions = new Map<string, ReturnType<GitHub['readPermission']>>();
  let pullRequest: ReturnType<GitHub['readPullRequest']> | null = null;
  return {
    readPermission(repository, login, signal) {
      const answer = permissions.get(login) ?? github.readPermission(repository, login, signal);
      permissions.set(login, answer);
      return answer;
    },
    readPullRequest: (ref, signal) => (pullRequest ??= github.readPullRequest(ref, signal)),
  };
}
