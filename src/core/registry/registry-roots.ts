/** Kinds of registries that `setup` may read. */
export type RegistryKind = 'npm' | 'pypi' | 'go' | 'cargo';

/** Root addresses of the registries, each with a trailing slash. */
export interface RegistryRoots {
  readonly npm: string;
  /** The simple index. */
  readonly pypi: string;
  readonly go: string;
  /** The checksum database of Go. */
  readonly sumdb: string;
  /** The sparse index. */
  readonly cargo: string;
}

export const PUBLIC_REGISTRIES: RegistryRoots = {
  npm: 'https://registry.npmjs.org/',
  pypi: 'https://pypi.org/simple/',
  go: 'https://proxy.golang.org/',
  sumdb: 'https://sum.golang.org/',
  cargo: 'https://index.crates.io/',
};

/** Where public registries keep their files, beside the registry's own origin. */
const FILE_ORIGINS: Readonly<Record<string, readonly string[]>> = {
  'https://pypi.org': ['https://files.pythonhosted.org'],
  'https://index.crates.io': ['https://static.crates.io'],
};

/** The origins that belong to a kind of registry: the configured one first, then those of its files. */
export function toOrigins(kind: RegistryKind, roots: RegistryRoots): readonly string[] {
  const own = kind === 'go' ? [roots.go, roots.sumdb] : [roots[kind]];
  const origins = own.map((root) => new URL(root).origin);
  return [...origins, ...origins.flatMap((origin) => FILE_ORIGINS[origin] ?? [])];
}
