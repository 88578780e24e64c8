import type { Sha } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { GitHub } from '../../ports/github.ts';

/** The URLs of a GitHub server, without credentials and without a trailing slash. */
export interface GitHubAddresses {
  /** Root of the pages. */
  readonly site: string;
  readonly rest: string;
  readonly graphql: string;
  readonly git: (repository: RepositoryRef) => string;
  /** Host of the e-mail addresses that belong to accounts and receive nothing. */
  readonly noreplyHost: string;
  readonly commit: (repository: RepositoryRef, sha: Sha) => string;
  readonly file: GitHub['fileUrl'];
}

/**
 * Derives all URLs from the root of the REST API. `https://api.github.com` and `https://api.<name>.ghe.com` are sibling
 * hosts of the site; GitHub Enterprise Server has `https://<host>/api/v3`.
 */
export function toGitHubAddresses(restUrl: string): GitHubAddresses {
  const rest = restUrl.replace(/\/+$/, '');
  const isServer = rest.endsWith('/api/v3');
  const url = new URL(rest);
  const site = `${url.protocol}//${isServer ? url.host : url.host.replace(/^api\./, '')}`;
  const page = ({ owner, name }: RepositoryRef): string =>
    `${site}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  return {
    site,
    rest,
    graphql: isServer ? rest.replace(/\/v3$/, '/graphql') : `${rest}/graphql`,
    noreplyHost: `users.noreply.${new URL(site).hostname}`,
    git: (repository) => `${page(repository)}.git`,
    commit: (repository, sha) => `${page(repository)}/commit/${sha}`,
    file: (repository, { sha, path, line }) => {
      const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
      return `${page(repository)}/blob/${sha}/${encoded}${line === null ? '' : `#L${line}`}`;
    },
  };
}
