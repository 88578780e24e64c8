import { sha256 } from '../../core/hash/sha256.ts';
import { isJsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { Invocation } from '../../ports/engine-host.ts';

/** What an interpreter has installed. */
export interface PythonPackages {
  /** Absolute path of the interpreter, as it tells it; null: it does not. */
  readonly executable: string | null;
  /** Version by distribution; null: it is not installed. */
  readonly versions: Readonly<Record<string, string | null>>;
  /** SHA-256 of everything that is installed, by name and version. */
  readonly digest: string;
}

/**
 * Prints one line of JSON. What it imports, it imports from the interpreter and not from the repository that it runs in; what is
 * installed, it looks for as `-m` does.
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

/** Arguments for the interpreter that make it tell of these distributions. */
export function toProbeArguments(distributions: readonly string[]): readonly string[] {
  return ['-c', SCRIPT, ...distributions];
}

/** The probe leaves nothing in the workspace. */
export const PROBE_ENV: Invocation['env'] = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };

/** Reads the last line that the probe printed; null: it says nothing that we know. */
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
