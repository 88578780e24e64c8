import { z } from 'zod';
import type { PullRequestRef } from '../../core/model/pull-request.ts';
import type { ChangedFile } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** GitHub lists at most this many files and does not report that there are more. */
const MAX_LISTED = 3_000;

const File = z.object({ filename: z.string(), status: z.string(), previous_filename: z.string().optional() });

/**
 * See `GitHub.readChangedFiles`.
 * https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
 */
export async function readChangedFiles(
  calls: Pick<RepositoryCalls, 'list'>,
  { repository, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<readonly ChangedFile[] | null> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const parameters = { pull_number: number };
  const files: ChangedFile[] = [];
  await calls.list(
    { repository, route, parameters, access: 'read', signal },
    (page) => {
      const listed = parseResponse(z.array(File), page, 'changed files');
      files.push(...listed.map(toChangedFile));
      return listed;
    },
    MAX_LISTED,
  );
  return files.length >= MAX_LISTED ? null : files;
}

/** An unknown status counts as modified. */
function toChangedFile({ filename, status, previous_filename: previousPath }: z.infer<typeof File>): ChangedFile {
  const isRenamed = status === 'renamed' && previousPath !== undefined;
  return { path: filename, change: toChange(status, isRenamed), previousPath: isRenamed ? previousPath : null };
}

function toChange(status: string, isRenamed: boolean): ChangedFile['change'] {
  if (isRenamed) return 'renamed';
  if (status === 'removed') return 'deleted';
  return status === 'added' || status === 'copied' ? 'added' : 'modified';
}
