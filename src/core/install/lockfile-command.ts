/** Commands that bring a lockfile up to date with its manifest, by its name. None runs code of packages. */
const COMMANDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'package-lock.json': 'npm install --package-lock-only --ignore-scripts',
    'npm-shrinkwrap.json': 'npm install --package-lock-only --ignore-scripts',
    'pnpm-lock.yaml': 'pnpm install --lockfile-only --no-frozen-lockfile --ignore-scripts',
    'Cargo.lock': 'cargo update --workspace',
    'uv.lock': 'uv lock',
    // Poetry 1 updates every package unless it is told not to; Poetry 2 has no such option.
    'poetry.lock':
      'case "$(poetry --version)" in *" 1."*) poetry lock --no-interaction --no-update ;; *) poetry lock --no-interaction ;; esac',
    'go.sum': 'go mod tidy',
  }),
);

/**
 * The command that makes a lockfile anew in its folder; null for other files. Of Yarn only the versions since 2 are known: Yarn 1
 * cannot write its lockfile without an installation.
 */
export function toLockfileCommand(path: string, tracked: readonly string[]): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'yarn.lock') return toYarnCommand(path.slice(0, -name.length), tracked);
  return COMMANDS.get(name) ?? null;
}

/** Yarn comes with the repository, or is a program of the machine. */
function toYarnCommand(folder: string, tracked: readonly string[]): string | null {
  if (!tracked.includes(`${folder}.yarnrc.yml`)) return null;
  const releases = tracked.filter((path) => path.startsWith(`${folder}.yarn/releases/`) && /\.c?js$/u.test(path));
  const [release] = releases;
  if (releases.length > 1 || (release !== undefined && !/^[\w./-]+$/u.test(release))) return null;
  const yarn = release === undefined ? 'yarn' : `node ${release.slice(folder.length)}`;
  return `YARN_ENABLE_IMMUTABLE_INSTALLS=false ${yarn} install --mode=update-lockfile`;
}
