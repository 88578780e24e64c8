import { POLICY_PATHS } from '../policy/policy-place.ts';
import { AGENT_CONFIG } from './agent-config.ts';

/**
 * Globs of paths that an agent may never change (T34, T52): files that control CI, reviews, git and Ratchet, and files that make
 * a tool or an agent run code. Globs without leading `**` match at the root only.
 */
export const PROTECTED_PATHS: readonly string[] = [
  '.github/workflows',
  '.github/actions',
  ...POLICY_PATHS,
  '.github/dependabot.yml',
  '.github/dependabot.yaml',
  '**/action.yml',
  '**/action.yaml',
  '**/CODEOWNERS',
  '**/.gitattributes',
  '.gitlab-ci.yml',
  '.circleci',
  '.buildkite',
  '.travis.yml',
  'azure-pipelines.yml',
  'Jenkinsfile',
  ...AGENT_CONFIG.map((place) => `**/${place}`),
  '**/.vscode',
  '**/.devcontainer',
];

/** A changed lockfile brings other code. It may change only if `allowedPaths` of the policy has its exact name. Lower case. */
export const LOCKFILES: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'poetry.lock',
  'uv.lock',
  'pipfile.lock',
  'pdm.lock',
  'cargo.lock',
  'go.sum',
  'gemfile.lock',
  'composer.lock',
  'flake.lock',
  'mix.lock',
  'pubspec.lock',
  'gradle.lockfile',
  'packages.lock.json',
]);
