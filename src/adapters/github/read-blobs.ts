import { z } from 'zod';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { Blob, BlobRef } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import { toBlobsQuery } from './pull-request-query.ts';
import type { RepositoryCalls } from './repository-calls.ts';

const BlobsResponse = z.object({
  repository: z
    .record(
      z.string(),
      z
        .object({
          oid: z.string().optional(),
          text: z.string().nullable().optional(),
          isTruncated: z.boolean().optional(),
        })
        .nullable(),
    )
    .nullable(),
});

/** See `GitHub.readBlobs`. */
export async function readBlobs(
  calls: Pick<RepositoryCalls, 'graphql'>,
  { repository, refs }: { readonly repository: RepositoryRef; readonly refs: readonly BlobRef[] },
  signal: AbortSignal,
): Promise<readonly (Blob | null)[]> {
  if (refs.length === 0) return [];
  const variables: Record<string, string> = { owner: repository.owner, name: repository.name };
  for (const [index, { sha, path }] of refs.entries()) variables[`e${index}`] = `${sha}:${path}`;
  const data = await calls.graphql(repository, { query: toBlobsQuery(refs.length), variables }, signal);
  const found = parseResponse(BlobsResponse.nullable(), data, 'files')?.repository ?? {};
  return refs.map((_ref, index) => {
    const { oid, text = null, isTruncated = false } = found[`b${index}`] ?? {};
    return oid === undefined ? null : { oid, text: isTruncated ? null : text };
  });
}
