import { PullRequestName } from '../schemas/admin-api.ts';

/** Parses `OWNER/REPO#N`; null for anything else. */
export function parsePullRequestName(text: string): { readonly repository: string; readonly number: number } | null {
  const [, repository, number] = /^([^#\s]+)#(\d{1,10})$/.exec(text) ?? [];
  const parsed = PullRequestName.safeParse({ repository, number });
  return parsed.success ? parsed.data : null;
}
