import { isAbsolute, normalize } from 'node:path';
import { z } from 'zod';
import { isPlainHost } from '../core/registry/connect-target.ts';
import { PUBLIC_REGISTRIES, type RegistryRoots } from '../core/registry/registry-roots.ts';

/** What `setup` may read, and the programs of the operator. */
export interface SetupSettings {
  readonly registries: RegistryRoots;
  /** Hosts that a policy may list for CONNECT. */
  readonly setupHosts: readonly string[];
  /** Absolute paths of folders with a `bin`, mounted into every site. */
  readonly toolchains: readonly string[];
  /** Absolute path of the program that merges by structure; `off`: none; null: it is looked for. */
  readonly structuralMerge: string | null;
}

/** Addresses get a slash at the end, so that paths can be added. */
const registry = z
  .string()
  .refine((value) => {
    const url = URL.parse(value);
    const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    return isPlain && ['https:', 'http:'].includes(url.protocol);
  }, 'must be an http or https address without user, password and query')
  .transform((value) => value.replace(/\/*$/u, '/'));

const hosts = z
  .string()
  .transform((value) => value.split(',').map((host) => host.trim()))
  .refine((names) => names.every(isPlainHost), 'must be exact host names in lower case, with commas between them');

const folders = z
  .string()
  .transform((value) => value.split(':'))
  .refine(
    (paths) =>
      paths.every((path) => isAbsolute(path) && normalize(path) === path && path.length > 1 && !path.endsWith('/')),
    'must be absolute paths of folders, with colons between them',
  );

const program = z
  .string()
  .refine(
    (path) => path === 'off' || (isAbsolute(path) && normalize(path) === path),
    'must be an absolute path, or off',
  );

/** The environment variables of `SetupSettings`. */
export const SETUP_FIELDS = {
  RATCHET_NPM_REGISTRY: registry.default(PUBLIC_REGISTRIES.npm),
  RATCHET_PYPI_INDEX: registry.default(PUBLIC_REGISTRIES.pypi),
  RATCHET_GO_PROXY: registry.default(PUBLIC_REGISTRIES.go),
  RATCHET_CARGO_INDEX: registry.default(PUBLIC_REGISTRIES.cargo),
  RATCHET_SETUP_HOSTS: hosts.default([]),
  RATCHET_TOOLCHAINS: folders.default([]),
  RATCHET_STRUCTURAL_MERGE: program.nullable().default(null),
} as const;

/** Collects the settings from parsed variables. */
export function toSetupSettings(
  fields: {
    readonly [Name in keyof typeof SETUP_FIELDS]: z.infer<(typeof SETUP_FIELDS)[Name]>;
  },
): SetupSettings {
  return {
    registries: {
      npm: fields.RATCHET_NPM_REGISTRY,
      pypi: fields.RATCHET_PYPI_INDEX,
      go: fields.RATCHET_GO_PROXY,
      sumdb: PUBLIC_REGISTRIES.sumdb,
      cargo: fields.RATCHET_CARGO_INDEX,
    },
    setupHosts: fields.RATCHET_SETUP_HOSTS,
    toolchains: fields.RATCHET_TOOLCHAINS,
    structuralMerge: fields.RATCHET_STRUCTURAL_MERGE,
  };
}
