import { decodePath, type Roots, toRepositoryPath } from '../parse/to-repository-path.ts';
import type { SarifArtifactLocation, SarifRun } from './sarif-log.ts';

/** Where the file of a result is: in the repository, outside of it, or not stated. */
export type SarifPlace =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside' }
  | { readonly kind: 'none' };

/** A base may be relative to another one. No tool needs more levels. */
const MAX_BASES = 8;

/**
 * Resolves the file of a location: its URI (percent-encoded, relative or `file:`) against the bases of the run. A base without a
 * URI in the log (`%SRCROOT%`) is the root of the repository. A URI without a base is relative to the folder that the tool ran
 * in.
 */
export function locateSarifArtifact(
  location: SarifArtifactLocation | undefined,
  run: SarifRun,
  { root, cwd }: Roots,
): SarifPlace {
  const known = location?.uri === undefined ? findArtifact(location, run) : location;
  if (known?.uri === undefined || known.uri === '') return { kind: 'none' };
  const address = toAddress(known, run);
  if (address === null) return { kind: 'outside' };
  const base = known.uriBaseId === undefined ? cwd : '.';
  const path = toRepositoryPath(address, { root, cwd: base });
  return path === null ? { kind: 'outside' } : { kind: 'inside', path };
}

function findArtifact(location: SarifArtifactLocation | undefined, run: SarifRun): SarifArtifactLocation | undefined {
  return location?.index === undefined ? undefined : run.artifacts?.[location.index]?.location;
}

/** An absolute or relative path; null if it is not a file (`https:`), or if bases refer to each other in a circle. */
function toAddress(location: SarifArtifactLocation, run: SarifRun): string | null {
  let path = '';
  let current: SarifArtifactLocation | undefined = location;
  for (let level = 0; level < MAX_BASES; level += 1) {
    const part = toPath(current?.uri ?? '');
    if (part === null) return null;
    path = join(part, path);
    const id: string | undefined = current?.uriBaseId;
    if (part.startsWith('/') || id === undefined) return path;
    const bases: SarifRun['originalUriBaseIds'] = run.originalUriBaseIds ?? {};
    if (!Object.hasOwn(bases, id)) return path;
    current = bases[id];
  }
  return null;
}

function join(base: string, path: string): string {
  return base === '' || base.endsWith('/') || path === '' ? `${base}${path}` : `${base}/${path}`;
}

/** The decoded path of a relative or `file:` URI; null for any other scheme. */
function toPath(uri: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]+):/iu.exec(uri)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'file') return null;
  const path = scheme === 'file' ? uri.slice('file:'.length).replace(/^\/\/[^/]*/u, '') : uri;
  return decodePath(path);
}
