import { toRepositoryPath } from '../parse/to-repository-path.ts';
import type { SarifArtifactLocation, SarifRun } from './sarif-log.ts';

/** Where a result's file is: in the repository, somewhere else, or not told. */
export type SarifPlace =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'outside' }
  | { readonly kind: 'none' };

/** A base may itself be relative to another one; no tool needs more steps. */
const MAX_BASES = 8;

/**
 * The file that a location names: its address (percent-encoded, relative or `file:`) by the bases of the run. A base whose
 * address the log does not tell (`%SRCROOT%`) is the root of the repository; an address without a base is relative to where
 * the tool ran.
 */
export function locateSarifArtifact(
  location: SarifArtifactLocation | undefined,
  run: SarifRun,
  { root, cwd }: { readonly root: string; readonly cwd: string },
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

/** A path, absolute or relative; null for what is no file (`https:`), and for bases that go round in a circle. */
function toAddress(location: SarifArtifactLocation, run: SarifRun): string | null {
  let path = '';
  let current: SarifArtifactLocation | undefined = location;
  for (let step = 0; step < MAX_BASES; step += 1) {
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

/** The path of a relative or `file:` address, decoded; null for an address of another scheme. */
function toPath(uri: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]+):/iu.exec(uri)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'file') return null;
  const path = scheme === 'file' ? uri.slice('file:'.length).replace(/^\/\/[^/]*/u, '') : uri;
  return decode(path);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
