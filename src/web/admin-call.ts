import type { RepositoryRef } from '../core/model/pull-request.ts';
import { InvalidInputError } from '../schemas/invalid-input.ts';

/** One call of the admin API. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The allowed methods; only for 405. */
  readonly allow?: string;
}

export interface FindRepository {
  readonly findRepository: (owner: string, name: string) => RepositoryRef | null;
}

/** The repository of a name `owner/name`; null: no webhook has named it. */
export function findRepository(deps: FindRepository, repository: string): RepositoryRef | null {
  const [owner = '', name = ''] = repository.split('/');
  return deps.findRepository(owner, name);
}

export function unknownRepository(repository: string): ApiResponse {
  return { status: 404, body: { error: `no webhook has named ${repository} yet: is the App installed there?` } };
}

/** @throws InvalidInputError */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError(['the body is not JSON']);
  }
}
