import type { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';

/**
 * Parses a response of GitHub with `schema`. Ratchet does not act on half a response.
 * @throws GitHubError UNEXPECTED (retry later), which names the wrong field but no value.
 */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, data: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new GitHubError('UNEXPECTED', `${what}: GitHub's response is not as documented: ${where.slice(0, 200)}`, {
    retry: 'later',
  });
}
