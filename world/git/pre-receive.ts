import { fileURLToPath } from 'node:url';
import type { Protection } from '../protection.ts';

/**
 * The hook that checks pushes as GitHub does: commits that change workflows need the `workflows` permission, branches
 * have rules, and a repository can be set to refuse all pushes. It writes the reason to stderr as `refused: …`, which
 * `http-backend.ts` reports.
 */
export const PRE_RECEIVE = `#!/bin/sh
if [ -n "$WORLD_REFUSE" ]; then printf 'refused: %s\\n' "$WORLD_REFUSE" >&2; exit 1; fi
changes=$(cat)
if [ -n "$WORLD_PROTECTIONS" ]; then
  printf '%s\\n' "$changes" | "$WORLD_NODE" "$WORLD_CHECK_PUSH" || exit 1
fi
[ "$WORLD_MAY_WRITE_WORKFLOWS" = 1 ] && exit 0
printf '%s\\n' "$changes" | while read -r old new ref; do
  case $new in *[!0]*) ;; *) continue ;; esac
  file=$(git log --format= --name-only -c "$new" --not --all -- .github/workflows | head -n 1)
  [ -z "$file" ] && continue
  printf 'refused: refusing to allow a GitHub App to create or update workflow \`%s\` without \`workflows\` permission\\n' "$file" >&2
  exit 1
done
`;

/** The environment variables that pass the pusher's rules to the hook. */
export function checkPushEnvironment(
  protections: readonly Protection[],
  page: string,
): Readonly<Record<string, string>> {
  return {
    WORLD_PROTECTIONS: protections.length === 0 ? '' : JSON.stringify({ list: protections }),
    WORLD_PAGE: page,
    WORLD_NODE: process.execPath,
    WORLD_CHECK_PUSH: fileURLToPath(new URL('check-push.ts', import.meta.url)),
  };
}
