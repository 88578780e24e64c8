/** Where agents that cost money may work. */
export interface SpendList {
  /** Owners (`acme`) and repositories (`acme/widget`); null: those of the App's own account. */
  readonly entries: readonly string[] | null;
  /** Login of the account that owns the App; null: GitHub has not said yet. */
  readonly appOwner: string | null;
}

/** Whether agents that cost money may work in a repository. GitHub's names ignore case. */
export function maySpend(
  { entries, appOwner }: SpendList,
  repository: { readonly owner: string; readonly name: string },
): 'yes' | 'no' | 'unknown' {
  const list = entries ?? (appOwner === null ? null : [appOwner]);
  if (list === null) return 'unknown';
  const owner = repository.owner.toLowerCase();
  const names = [owner, `${owner}/${repository.name.toLowerCase()}`];
  return list.some((entry) => names.includes(entry.toLowerCase())) ? 'yes' : 'no';
}
