/** The port of 127.0.0.1 that leads to the registries in the site of `setup`. */
export const REGISTRY_PORT = 4873;

/** The entry of the root for what is kept for package managers beside their own folders. No repository has it. */
export const KEPT_FOLDER = '.ratchet-deps';

/** How packages may be installed. */
export interface InstallRules {
  /** Absolute path of the root in the site. */
  readonly root: string;
  /** Hosts that CONNECT leads to; empty for none. */
  readonly hosts: readonly string[];
  /** Whether code of packages may run while they are installed. */
  readonly allowsScripts: boolean;
}

type Variables = Readonly<Record<string, string>>;

/** Root address of the registries in a site that may read them. */
export const PROXY = `http://127.0.0.1:${String(REGISTRY_PORT)}`;

/** The environment of `setup` commands: every package manager reads its registry through the relay. */
export function toInstallEnvironment({ root, hosts, allowsScripts }: InstallRules): Variables {
  return {
    ...NPM,
    ...YARN,
    ...PYTHON,
    ...toKeptEnvironment([KEPT_FOLDER], root),
    GOPROXY: `${PROXY}/_go`,
    GOSUMDB: 'sum.golang.org',
    CARGO_NET_OFFLINE: 'false',
    ...(allowsScripts ? {} : NO_SCRIPTS),
    ...(hosts.length === 0 ? {} : TUNNELS),
  };
}

/** The environment of all commands that see prepared dependencies, by the entries of these. */
export function toKeptEnvironment(paths: readonly string[], root: string): Variables {
  if (!paths.includes(KEPT_FOLDER)) return {};
  const kept = `${root}/${KEPT_FOLDER}`;
  return {
    CARGO_HOME: `${kept}/cargo`,
    CARGO_NET_OFFLINE: 'true',
    GOFLAGS: '-modcacherw',
    GOMODCACHE: `${kept}/go`,
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    YARN_CACHE_FOLDER: `${kept}/yarn`,
    YARN_ENABLE_GLOBAL_CACHE: 'false',
  };
}

/** Configuration of cargo, which has no variable for another registry. It stays with the crates: their folders are named after it. */
export const CARGO_CONFIG = [
  '[source.crates-io]',
  'replace-with = "ratchet"',
  '[source.ratchet]',
  `registry = "sparse+${PROXY}/_cargo/index/"`,
  '',
].join('\n');

/** pnpm reads both prefixes, depending on its version. */
const PNPM: Variables = {
  registry: `${PROXY}/`,
  // Against a `.npmrc` of the repository that names a proxy.
  noproxy: '127.0.0.1,localhost',
  // What cannot be reached now cannot be reached later.
  fetch_retry_mintimeout: '1000',
  fetch_retry_maxtimeout: '4000',
  manage_package_manager_versions: 'false',
  pm_on_fail: 'ignore',
  update_notifier: 'false',
};

const NPM: Variables = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  ...withPrefix('npm_config_', PNPM),
  ...withPrefix('pnpm_config_', PNPM),
  COREPACK_ENABLE_NETWORK: '0',
};

const YARN: Variables = {
  YARN_ENABLE_TELEMETRY: '0',
  YARN_NPM_REGISTRY_SERVER: PROXY,
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
};

const PYTHON: Variables = {
  PIP_CONFIG_FILE: '/dev/null',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_INDEX_URL: `${PROXY}/_pypi/simple/`,
  PIP_NO_INPUT: '1',
  POETRY_VIRTUALENVS_IN_PROJECT: 'true',
  UV_DEFAULT_INDEX: `${PROXY}/_pypi/simple/`,
  UV_INDEX_URL: `${PROXY}/_pypi/simple/`,
  UV_LINK_MODE: 'copy',
  UV_PYTHON_DOWNLOADS: 'never',
};

const NO_SCRIPTS: Variables = {
  npm_config_ignore_scripts: 'true',
  pnpm_config_ignore_scripts: 'true',
  PIP_ONLY_BINARY: ':all:',
  POETRY_INSTALLER_ONLY_BINARY: ':all:',
  UV_NO_BUILD: '1',
  YARN_ENABLE_SCRIPTS: 'false',
};

/** Only for https: the proxy answers nothing else. Node's own `fetch` needs to be told. */
const TUNNELS: Variables = {
  HTTPS_PROXY: PROXY,
  https_proxy: PROXY,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
  NODE_USE_ENV_PROXY: '1',
  YARN_HTTPS_PROXY: PROXY,
};

function withPrefix(prefix: string, variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${prefix}${name}`, value]));
}
