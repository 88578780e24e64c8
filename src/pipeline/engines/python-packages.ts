import { sha256 } from '../../core/hash/sha256.ts';
import { isJsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { Invocation } from '../../ports/engine-host.ts';

/** Packages of a Python interpreter. */
export interface PythonPackages {
  /** Absolute path of the interpreter (`sys.executable`); null: unknown. */
  readonly executable: string | null;
  /** Version by distribution; null: not installed. */
  readonly versions: Readonly<Record<string, string | null>>;
  /** SHA-256 over names and versions of all installed packages. */
  readonly digest: string;
}

/**
 * Prints one line of JSON. Imports come from the interpreter, never from the repository it runs in. Installed packages are
 * searched for on the path that `-m` uses.
 */
const SCRIPT = `
import sys
path = sys.path[:]
sys.path = [folder for folder in path if folder]
import json, os
from importlib import metadata
sys.path = path
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
installed = set()
for folder in path:
    try:
        installed.update(name for name in os.listdir(folder or '.') if name.endswith(('.dist-info', '.egg-info')))
    except OSError:
        pass
print()
versions = {name: version(name) for name in sys.argv[1:]}
print(json.dumps({'executable': sys.executable, 'versions': versions, 'installed': sorted(installed)}))
`;

/** Arguments that make the interpreter report these distributions. */
export function toProbeArguments(distributions: readonly string[]): readonly string[] {
  return ['-c', SCRIPT, ...distributions];
}

/** Keeps the probe from writing files into the repository. */
export const PROBE_ENV: Invocation['env'] = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };

/** Parses the last line of the probe output; null: not valid. */
export function parsePythonPackages(stdout: string, distributions: readonly string[]): PythonPackages | null {
  const { executable, versions, installed } = parseJsonObject(stdout.trimEnd().split('\n').at(-1) ?? '') ?? {};
  if (!isJsonObject(versions) || !Array.isArray(installed)) return null;
  const toVersion = (name: string): string | null => {
    const version = versions[name];
    return typeof version === 'string' ? version : null;
  };
  return {
    executable: typeof executable === 'string' && executable.startsWith('/') ? executable : null,
    versions: Object.fromEntries(distributions.map((name) => [name, toVersion(name)])),
    digest: sha256(JSON.stringify(installed)),
  };
}
