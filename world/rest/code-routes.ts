import { compareCommits } from '../git/compare.ts';
import { type Content, readContent, type TreeEntry } from '../git/read-content.ts';
import { branchTip, readCommit, resolveCommit } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import { renderCommit } from '../render/checks.ts';
import { repositoryApi, repositoryPage } from '../render/repositories.ts';
import type { Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { failure, notFound, ok, type Reply, type RestRequest, reading, textParam } from './route.ts';

/** Commits, branches, refs, files and comparisons, all asked of git. */
export const CODE_ROUTES = [
  reading('GET /repos/{owner}/{repo}/commits/{ref}', 'contents', async (request, repository) => {
    const sha = await resolveCommit(repository.git, textParam(request, 'ref'));
    if (sha === null) return failure(422, `No commit found for SHA: ${textParam(request, 'ref')}`);
    return ok(renderCommit(request.world, repository, await readCommit(repository.git, sha)));
  }),
  reading('GET /repos/{owner}/{repo}/branches/{branch}', 'contents', answerBranch),
  reading('GET /repos/{owner}/{repo}/rules/branches/{branch}', 'metadata', () => ok([])),
  reading('GET /repos/{owner}/{repo}/git/ref/{ref}', 'contents', async (request, repository) => {
    const ref = `refs/${textParam(request, 'ref')}`;
    const sha = await resolveCommit(repository.git, ref);
    if (sha === null) return notFound();
    const api = `${repositoryApi(request.world, repository)}/git`;
    const object = { sha, type: 'commit', url: `${api}/commits/${sha}` };
    return ok({ ref, node_id: `REF_${ref}`, url: `${api}/${ref}`, object });
  }),
  reading('GET /repos/{owner}/{repo}/compare/{basehead}', 'contents', answerCompare),
  reading('GET /repos/{owner}/{repo}/contents/{path}', 'contents', answerContents),
] as const;

async function answerBranch(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world } = request;
  const name = textParam(request, 'branch');
  const sha = await branchTip(repository.git, name);
  if (sha === null) return failure(404, 'Branch not found');
  const self = `${repositoryApi(world, repository)}/branches/${name}`;
  return ok({
    name,
    commit: renderCommit(world, repository, await readCommit(repository.git, sha)),
    _links: { self, html: `${repositoryPage(world, repository)}/tree/${name}` },
    protected: false,
    protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
    protection_url: `${self}/protection`,
  });
}

async function answerCompare(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world } = request;
  const [baseName = '', headName = ''] = textParam(request, 'basehead').split('...');
  const base = await resolveCommit(repository.git, baseName);
  const head = await resolveCommit(repository.git, headName);
  if (base === null || head === null) return notFound();
  const comparison = await compareCommits(repository.git, base, head);
  if (comparison === null) return failure(404, 'No common ancestor');
  const page = `${repositoryPage(world, repository)}/compare/${baseName}...${headName}`;
  const render = async (sha: string): Promise<JsonObject> => {
    return renderCommit(world, repository, await readCommit(repository.git, sha));
  };
  return ok({
    url: `${repositoryApi(world, repository)}/compare/${baseName}...${headName}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: await render(base),
    merge_base_commit: await render(comparison.mergeBase),
    status: toCompareStatus(comparison.aheadBy, comparison.behindBy),
    ahead_by: comparison.aheadBy,
    behind_by: comparison.behindBy,
    total_commits: comparison.commits.length,
    commits: comparison.commits.map((commit) => renderCommit(world, repository, commit)),
    files: comparison.files.map((file) => ({
      sha: file.sha,
      filename: file.filename,
      status: file.status,
      additions: file.additions,
      deletions: file.deletions,
      changes: file.additions + file.deletions,
      blob_url: `${repositoryPage(world, repository)}/blob/${head}/${encodeURI(file.filename)}`,
      raw_url: `${repositoryPage(world, repository)}/raw/${head}/${encodeURI(file.filename)}`,
      contents_url: `${repositoryApi(world, repository)}/contents/${encodeURI(file.filename)}?ref=${head}`,
      ...(file.patch === null ? {} : { patch: file.patch }),
    })),
  });
}

function toCompareStatus(aheadBy: number, behindBy: number): string {
  if (aheadBy > 0 && behindBy > 0) return 'diverged';
  if (aheadBy > 0) return 'ahead';
  return behindBy > 0 ? 'behind' : 'identical';
}

async function answerContents(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, query } = request;
  const ref = query.get('ref') ?? 'main';
  const sha = await resolveCommit(repository.git, ref);
  if (sha === null) return failure(404, `No commit found for the ref ${ref}`);
  const path = textParam(request, 'path').replace(/\/$/u, '');
  const content = await readContent(repository.git, sha, path);
  return content === null ? notFound() : ok(renderContent(world, repository, { path, ref, content }));
}

type Place = { readonly path: string; readonly ref: string; readonly content: Content };

function renderContent(world: WorldContext, repository: Repository, place: Place): JsonObject | readonly JsonObject[] {
  const { content, path, ref } = place;
  if (content.kind === 'tree') {
    return content.entries.map((entry) => {
      return renderEntry(world, repository, entry, { path: path === '' ? entry.name : `${path}/${entry.name}`, ref });
    });
  }
  const name = path.split('/').at(-1) ?? path;
  const entry: TreeEntry = { name, kind: 'blob', mode: '100644', sha: content.sha, byteSize: content.bytes.length };
  return {
    ...renderEntry(world, repository, entry, { path, ref }),
    encoding: 'base64',
    content: content.bytes.toString('base64').replace(/.{60}/gu, '$&\n'),
  };
}

function renderEntry(
  world: WorldContext,
  repository: Repository,
  entry: TreeEntry,
  place: { readonly path: string; readonly ref: string },
): JsonObject {
  const kinds = { blob: 'file', tree: 'dir', commit: 'submodule' } as const;
  const self = `${repositoryApi(world, repository)}/contents/${encodeURI(place.path)}?ref=${place.ref}`;
  const isFile = entry.kind === 'blob';
  const git = `${repositoryApi(world, repository)}/git/${isFile ? 'blobs' : 'trees'}/${entry.sha}`;
  const html = `${repositoryPage(world, repository)}/${isFile ? 'blob' : 'tree'}/${place.ref}/${encodeURI(place.path)}`;
  return {
    type: kinds[entry.kind],
    name: entry.name,
    path: place.path,
    sha: entry.sha,
    size: entry.byteSize,
    url: self,
    git_url: git,
    html_url: html,
    download_url: isFile ? `${repositoryPage(world, repository)}/raw/${place.ref}/${encodeURI(place.path)}` : null,
    _links: { self, git, html },
  };
}
