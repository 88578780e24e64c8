import type { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';

/**
 * The response of GitHub by `schema`. @throws GitHubError UNEXPECTED that names the field that is wrong and no value: better no
 * action than one on half a response.
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
