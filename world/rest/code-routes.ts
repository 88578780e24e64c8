import { findProtections } from '../find.ts';
import type { Commit } from '../git/commit.ts';
import { compareCommits } from '../git/compare.ts';
import type { Content, TreeEntry } from '../git/content.ts';
import { readContent } from '../git/read-content.ts';
import { branchTip, readCommit, resolveCommit } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import { renderBranchRules, renderProtection } from '../render/branch-rules.ts';
import { renderCommit } from '../render/checks.ts';
import { repositoryApi, repositoryPage } from '../render/repositories.ts';
import type { Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import {
  failure,
  list,
  notFound,
  ok,
  type Page,
  paginate,
  type Reply,
  type RestRequest,
  reading,
  textParam,
} from './route.ts';

/** Commits, branches, refs, files and comparisons, read from git. */
export const CODE_ROUTES = [
  reading('GET /repos/{owner}/{repo}/commits/{ref}', 'contents', async (request, repository) => {
    const sha = await resolveCommit(repository.git, textParam(request, 'ref'));
    if (sha === null) return failure(422, `No commit found for SHA: ${textParam(request, 'ref')}`);
    return ok(renderCommit(request.world, repository, await readCommit(repository.git, sha)));
  }),
  reading('GET /repos/{owner}/{repo}/branches/{branch}', 'contents', answerBranch),
  reading('GET /repos/{owner}/{repo}/rules/branches/{branch}', 'metadata', async (request, repository) => {
    return await list(request, renderBranchRules(repository, textParam(request, 'branch')), (rule) => rule);
  }),
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
    protected: findProtections(repository, name).length > 0,
    protection: renderProtection(repository, name),
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
  const html = `${repositoryPage(world, repository)}/compare/${baseName}...${headName}`;
  const page = comparePage(request, comparison.commits);
  const files = page.isFirst ? comparison.files.slice(0, MAX_COMPARE_FILES) : [];
  const render = async (sha: string): Promise<JsonObject> => {
    return renderCommit(world, repository, await readCommit(repository.git, sha));
  };
  const body = {
    url: `${repositoryApi(world, repository)}/compare/${baseName}...${headName}`,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: await render(base),
    merge_base_commit: await render(comparison.mergeBase),
    status: toCompareStatus(comparison.aheadBy, comparison.behindBy),
    ahead_by: comparison.aheadBy,
    behind_by: comparison.behindBy,
    total_commits: comparison.commits.length,
    commits: page.items.map((commit) => renderCommit(world, repository, commit)),
    files: files.map((file) => ({
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
  };
  return { status: 200, body, headers: page.headers };
}

const MAX_COMPARE_COMMITS = 250;
const MAX_COMPARE_FILES = 300;

/** Pages of commits. Without page parameters GitHub lists the first 250. Only the first page has the files. */
function comparePage(request: RestRequest, commits: readonly Commit[]): Page<Commit> & { readonly isFirst: boolean } {
  const { query } = request;
  if (!query.has('page') && !query.has('per_page')) {
    return { items: commits.slice(0, MAX_COMPARE_COMMITS), headers: {}, isFirst: true };
  }
  return { ...paginate(request, commits), isFirst: Number(query.get('page') ?? 1) <= 1 };
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
