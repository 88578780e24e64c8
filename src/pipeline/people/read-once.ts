import type { GitHub } from '../../ports/github.ts';

type Reads = Pick<GitHub, 'readPermission' | 'readPullRequest'>;

/** What is asked for a pull request's commands, each question once: for one look, so that nobody makes us ask a thousand times. */
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
