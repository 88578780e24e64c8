import { PUBLIC_REGISTRIES, type RegistryRoots, toOrigins } from './registry-roots.ts';
import { PATHS } from './route-request.ts';

const FILE = /^(npm|pypi)\/([a-z0-9.:[\]-]+)\//iu;

/**
 * A lockfile that was made through the proxy, with the addresses of the registries in place of the proxy's: those of the
 * operator's registries if `before`, an earlier version of the file, names them, else those of the public ones. null: an address
 * of the proxy is left.
 */
export function restoreAddresses(
  text: string,
  { proxy, roots, before }: { readonly proxy: string; readonly roots: RegistryRoots; readonly before: string },
): string | null {
  const rootOf = (kind: 'npm' | 'pypi'): string =>
    before.includes(roots[kind].replace(/\/$/u, '')) ? roots[kind] : PUBLIC_REGISTRIES[kind];
  const [start, ...parts] = text.split(proxy);
  const restored = parts.map((part) => {
    if (part.startsWith(PATHS.files)) return restoreFile(part.slice(PATHS.files.length), roots);
    if (part.startsWith(`${PATHS.pypi}simple`)) {
      return `${rootOf('pypi').replace(/\/$/u, '')}${part.slice(PATHS.pypi.length + 'simple'.length)}`;
    }
    return part.startsWith('/') && !part.startsWith('/_') ? `${rootOf('npm')}${part.slice(1)}` : null;
  });
  return restored.includes(null) ? null : [start, ...restored].join('');
}

function restoreFile(part: string, roots: RegistryRoots): string | null {
  const [prefix = '', kind, host] = FILE.exec(part) ?? [];
  if (kind !== 'npm' && kind !== 'pypi') return null;
  const origin = toOrigins(kind, roots).find((allowed) => new URL(allowed).host === host);
  return origin === undefined ? null : `${origin}/${part.slice(prefix.length)}`;
}
