import { type CommitAuthor, type GitRepository, ZERO_SHA } from './repository.ts';
import { git } from './run-git.ts';

/** File contents of a commit by path; `null` deletes a file. */
export type FileChanges = Readonly<Record<string, string | null>>;

/** A commit of file changes on top of a parent. */
export type FileCommit = {
  readonly parent: string | null;
  readonly files: FileChanges;
  readonly message: string;
  readonly author: CommitAuthor;
};

/** Hidden from clients. fast-import cannot write a commit without a ref. */
const SCRATCH_REF = 'refs/world/last';

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function fileCommand([path, content]: readonly [string, string | null]): string {
  if (content === null) return `D ${JSON.stringify(path)}\n`;
  const mode = content.startsWith('#!') ? '100755' : '100644';
  return `M ${mode} inline ${JSON.stringify(path)}\n${data(content)}`;
}

/** Writes blobs, tree and commit in one git process and returns the commit's SHA. No branch moves. */
export async function writeFiles(repository: GitRepository, commit: FileCommit): Promise<string> {
  const person = toPerson(commit.author);
  const input = [
    'feature done\n',
    // Without `from`, fast-import would build on the scratch ref's last commit.
    `reset ${SCRATCH_REF}\nfrom ${commit.parent ?? ZERO_SHA}\n\n`,
    `commit ${SCRATCH_REF}\nmark :1\nauthor ${person}\ncommitter ${person}\n${data(commit.message)}`,
    commit.parent === null ? '' : `from ${commit.parent}\n`,
    ...Object.entries(commit.files).map(fileCommand),
    '\nget-mark :1\ndone\n',
  ].join('');
  return await git(repository.dir, ['fast-import', '--quiet', '--force'], { input });
}

/** One of many branches to create. */
export type NewBranch = { readonly name: string; readonly files: FileChanges; readonly message: string };

/** Creates branches with one commit each on top of `parent`, in one git process. Returns their commits. */
export async function writeBranches(
  repository: GitRepository,
  parent: string,
  { branches, author }: { readonly branches: readonly NewBranch[]; readonly author: CommitAuthor },
): Promise<readonly string[]> {
  const person = toPerson(author);
  const commits = branches.map(({ name, files, message }, index) => {
    const ref = `refs/heads/${name}`;
    const header = `reset ${ref}\nfrom ${parent}\n\ncommit ${ref}\nmark :${index + 1}\n`;
    const body = `author ${person}\ncommitter ${person}\n${data(message)}from ${parent}\n`;
    return `${header}${body}${Object.entries(files).map(fileCommand).join('')}\nget-mark :${index + 1}\n`;
  });
  const output = await git(repository.dir, ['fast-import', '--quiet'], {
    input: `feature done\n${commits.join('')}done\n`,
  });
  return output.split('\n');
}

/** An author or committer with the current time, in fast-import's format. */
function toPerson({ name, email }: CommitAuthor): string {
  return `${name} <${email}> ${Math.floor(Date.now() / 1000)} +0000`;
}
