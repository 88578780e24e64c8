import { describe, expect, it } from 'vitest';
import { toInstallEnvironment, toKeptEnvironment } from '../../../src/core/install/install-environment.ts';

const PROXY = 'http://127.0.0.1:4873';

describe('toInstallEnvironment', () => {
  it('leads every package manager to the relay, without scripts and without tunnels', () => {
    expect(toInstallEnvironment({ root: '/w', hosts: [], allowsScripts: false })).toEqual({
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_registry: `${PROXY}/`,
      npm_config_noproxy: '127.0.0.1,localhost',
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_maxtimeout: '4000',
      npm_config_manage_package_manager_versions: 'false',
      npm_config_pm_on_fail: 'ignore',
      npm_config_update_notifier: 'false',
      npm_config_ignore_scripts: 'true',
      pnpm_config_registry: `${PROXY}/`,
      pnpm_config_noproxy: '127.0.0.1,localhost',
      pnpm_config_fetch_retry_mintimeout: '1000',
      pnpm_config_fetch_retry_maxtimeout: '4000',
      pnpm_config_manage_package_manager_versions: 'false',
      pnpm_config_pm_on_fail: 'ignore',
      pnpm_config_update_notifier: 'false',
      pnpm_config_ignore_scripts: 'true',
      COREPACK_ENABLE_NETWORK: '0',
      YARN_ENABLE_TELEMETRY: '0',
      YARN_NPM_REGISTRY_SERVER: PROXY,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_CACHE_FOLDER: '/w/.ratchet-deps/yarn',
      YARN_ENABLE_GLOBAL_CACHE: 'false',
      YARN_ENABLE_SCRIPTS: 'false',
      PIP_CONFIG_FILE: '/dev/null',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_INDEX_URL: `${PROXY}/_pypi/simple/`,
      PIP_NO_INPUT: '1',
      PIP_ONLY_BINARY: ':all:',
      POETRY_VIRTUALENVS_IN_PROJECT: 'true',
      POETRY_INSTALLER_ONLY_BINARY: ':all:',
      UV_DEFAULT_INDEX: `${PROXY}/_pypi/simple/`,
      UV_INDEX_URL: `${PROXY}/_pypi/simple/`,
      UV_LINK_MODE: 'copy',
      UV_NO_BUILD: '1',
      UV_PYTHON_DOWNLOADS: 'never',
      CARGO_HOME: '/w/.ratchet-deps/cargo',
      CARGO_NET_OFFLINE: 'false',
      GOFLAGS: '-modcacherw',
      GOMODCACHE: '/w/.ratchet-deps/go',
      GOPROXY: `${PROXY}/_go`,
      GOSUMDB: 'sum.golang.org',
      GOTOOLCHAIN: 'local',
    });
  });

  it('says nothing of scripts where they may run', () => {
    const names = Object.keys(toInstallEnvironment({ root: '/w', hosts: [], allowsScripts: true }));

    expect(names.filter((name) => /SCRIPTS|BINARY|NO_BUILD|ignore_scripts/u.test(name))).toEqual([]);
  });

  it('names the proxy for https where hosts are listed', () => {
    expect(toInstallEnvironment({ root: '/w', hosts: ['a.example'], allowsScripts: false })).toMatchObject({
      ...{ HTTPS_PROXY: PROXY, https_proxy: PROXY, YARN_HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: '1' },
      ...{ NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' },
    });
  });
});

describe('toKeptEnvironment', () => {
  it('is for the folder that was kept, and reads nothing of a network', () => {
    expect(toKeptEnvironment(['node_modules'], '/w')).toEqual({});
    expect(toKeptEnvironment(['.ratchet-deps'], '/w')).toMatchObject({
      ...{ GOPROXY: 'off', CARGO_NET_OFFLINE: 'true', GOMODCACHE: '/w/.ratchet-deps/go' },
    });
  });
});
