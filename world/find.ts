import { matchesBranch } from './branch-pattern.ts';
import type { CommitAuthor } from './git/repository.ts';
import type { Protection } from './protection.ts';
import type { Account, CheckRun, Installation, Pull, Repository, State } from './state.ts';

/** The repository `owner/name`, or null. Names are compared as GitHub does, ignoring case. */
export function findRepository(state: State, fullName: string): Repository | null {
  const wanted = fullName.toLowerCase();
  return state.repositories.values().find((row) => toFullName(row).toLowerCase() === wanted) ?? null;
}

/** `owner/name` of a repository. */
export function toFullName(repository: Repository): string {
  return `${repository.ownerLogin}/${repository.name}`;
}

/** The rules that apply to a branch, oldest first. */
export function findProtections(repository: Repository, branch: string): readonly Protection[] {
  return repository.protections.filter(({ pattern }) => matchesBranch(pattern, branch));
}

/** The pull request with this number, or null. */
export function findPull(state: State, repositoryId: number, number: number): Pull | null {
  return state.pulls.values().find((row) => row.repositoryId === repositoryId && row.number === number) ?? null;
}

/** The pull requests in the merge queue of the same base branch, in queue order. */
export function findQueue(state: State, pull: Pull): readonly Pull[] {
  return [...state.pulls.values()]
    .filter((row) => row.repositoryId === pull.repositoryId && row.baseBranch === pull.baseBranch && row.queue !== null)
    .sort((a, b) => (a.queue?.place ?? 0) - (b.queue?.place ?? 0));
}

/** The installation that covers the repository, suspended or not, or null. */
export function findInstallation(state: State, repositoryId: number): Installation | null {
  return state.installations.values().find((row) => row.repositoryIds.has(repositoryId)) ?? null;
}

/** The row with this id; throws if there is none, which is a bug of the world. */
export function rowOf<T>(rows: ReadonlyMap<number, T>, id: number): T {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`The world has no row ${id}`);
  return row;
}

/** The account with this login; throws if there is none. */
export function accountOf(state: State, login: string): Account {
  const account = state.accounts.get(login.toLowerCase());
  if (account === undefined) throw new Error(`The world has no account ${login}`);
  return account;
}

/** The rows that belong to a pull request, oldest first. */
export function ofPull<T extends { readonly repositoryId: number; readonly number: number }>(
  rows: ReadonlyMap<number, T>,
  pull: Pull,
): readonly T[] {
  return [...rows.values()].filter((row) => row.repositoryId === pull.repositoryId && row.number === pull.number);
}

/** Check runs of a commit, oldest first. */
export function checkRunsOf(state: State, repositoryId: number, headSha: string): readonly CheckRun[] {
  return [...state.checkRuns.values()].filter((row) => row.repositoryId === repositoryId && row.headSha === headSha);
}

/** The newest check run of each app, suite kind and name, oldest first. */
export function latestCheckRuns(state: State, runs: readonly CheckRun[]): readonly CheckRun[] {
  const latest = new Map<string, CheckRun>();
  for (const run of runs) {
    const event = state.workflowRuns.values().find((row) => row.suiteId === run.suiteId)?.event ?? '';
    const path = state.workflowRuns.values().find((row) => row.suiteId === run.suiteId)?.path ?? '';
    latest.set([run.appId, event, path, run.name].join('\n'), run);
  }
  return [...latest.values()];
}

/** The author of a commit that an account makes. GitHub links a commit by this form of address only. */
export function authorOf(state: State, login: string): CommitAuthor {
  const account = accountOf(state, login);
  return { name: account.login, email: `${account.id}+${account.login}@users.noreply.github.test` };
}

/** The account that the e-mail address of a commit belongs to; undefined if none does. */
export function accountOfEmail(state: State, email: string): Account | undefined {
  const [, id, login] = /^(\d+)\+([^@]+)@users\.noreply\./.exec(email) ?? [];
  const account = login === undefined ? undefined : state.accounts.get(login.toLowerCase());
  return account?.id === Number(id) ? account : undefined;
}
