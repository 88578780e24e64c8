import { GitHubError } from '../core/model/errors.ts';
import { parseSessionId, type SessionId } from '../core/model/ids.ts';
import type { PullRequestRef } from '../core/model/pull-request.ts';
import { PullRequestName, type UndoJson } from '../schemas/admin-api.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';
import {
  type ApiResponse,
  type Call,
  type FindRepository,
  findRepository,
  parseJson,
  unknownRepository,
} from './admin-call.ts';

/** What the admin API needs to undo the last fixup of a pull request. */
export interface UndoApiDeps extends FindRepository {
  readonly undo: {
    /** null: Ratchet does not know the pull request. @throws GitHubError */
    readonly begin: (ref: PullRequestRef) => Promise<UndoJson | null>;
    /** null: no undo has that session. */
    readonly read: (id: SessionId) => UndoJson | null;
  };
}

/** Starts an undo for an operator, or says why not. */
export async function beginUndo(deps: UndoApiDeps, { body }: Call): Promise<ApiResponse> {
  const { repository: name, number } = parseBySchema(PullRequestName, parseJson(body));
  const repository = findRepository(deps, name);
  if (repository === null) return unknownRepository(name);
  try {
    const begun = await deps.undo.begin({ repository, number });
    if (begun !== null) return { status: 200, body: begun };
    return { status: 404, body: { error: `Ratchet knows no pull request #${number} in ${name}` } };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { status: 502, body: { error: `GitHub could not be asked (${error.code}); try again` } };
  }
}

/** How far the undo of a session is. */
export function showUndo({ undo }: UndoApiDeps, id: string): ApiResponse {
  const shown = undo.read(parseSessionId(id));
  return shown === null
    ? { status: 404, body: { error: 'no undo has that session' } }
    : { status: 200, body: { ...shown } };
}
