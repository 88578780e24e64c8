/**
 * Run by the `pre-receive` hook with the hook's input: `old new ref` lines. Refuses a push that violates the rules in
 * `WORLD_PROTECTIONS`. Every signature counts as verified.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { matchesBranch } from '../branch-pattern.ts';
import { type JsonObject, numberAt, objectsAt, parseJson, stringAt, stringsAt } from '../json.ts';
import { type CommitPattern, PATTERN_OPERATORS, PATTERN_SUBJECTS, type Protection } from '../protection.ts';
import { type PushedBranch, toRefusal } from './push-violations.ts';

const TIMEOUT_MS = 20_000;
const HEADS = 'refs/heads/';

function parseProtection(value: JsonObject): Protection {
  const flag = (name: string): boolean => value[name] === true;
  return {
    shape: stringAt(value, 'shape') === 'ruleset' ? 'ruleset' : 'protection',
    pattern: stringAt(value, 'pattern') ?? '',
    requiresSignatures: flag('requiresSignatures'),
    restrictsPushes: flag('restrictsPushes'),
    requiresUpToDate: flag('requiresUpToDate'),
    requiredChecks: stringsAt(value, 'requiredChecks'),
    dismissStaleReviews: flag('dismissStaleReviews'),
    requiredApprovals: numberAt(value, 'requiredApprovals') ?? 0,
    commitPatterns: objectsAt(value, 'commitPatterns').map(parseCommitPattern),
    requiresResolvedThreads: flag('requiresResolvedThreads'),
  };
}

function isZero(sha: string): boolean {
  return /^0+$/u.test(sha);
}

function readPush(before: string, after: string, ref: string): PushedBranch {
  const branch = ref.slice(HEADS.length);
  if (isZero(after)) return { branch, isDeleted: true, isForced: false, unsignedShas: [], commits: [] };
  const ancestry = ['merge-base', '--is-ancestor', before, after];
  const isForced = !isZero(before) && spawnSync('git', ancestry, { timeout: TIMEOUT_MS }).status !== 0;
  const range = isZero(before) ? [after, '--not', '--all'] : [`${before}..${after}`];
  const shas = execFileSync('git', ['rev-list', ...range], { encoding: 'utf8', timeout: TIMEOUT_MS });
  const unsignedShas = shas.split('\n').filter((sha) => sha !== '' && !isSigned(sha));
  return { branch, isDeleted: false, isForced, unsignedShas, commits: readTexts(range) };
}

function readTexts(range: readonly string[]): PushedBranch['commits'] {
  const args = ['log', '--format=%H%x00%ae%x00%ce%x00%B%x01', ...range];
  const output = execFileSync('git', args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return output
    .split('\u0001')
    .map((entry) => entry.trimStart().split('\0'))
    .filter(([sha]) => sha !== '')
    .map(([sha = '', author_email = '', committer_email = '', message = '']) => {
      return { sha, author_email, committer_email, message: message.trimEnd() };
    });
}

function parseCommitPattern(value: JsonObject): CommitPattern {
  return {
    of: PATTERN_SUBJECTS.find((of) => of === value['of']) ?? 'message',
    operator: PATTERN_OPERATORS.find((operator) => operator === value['operator']) ?? 'regex',
    pattern: stringAt(value, 'pattern') ?? '',
    negate: value['negate'] === true,
  };
}

function isSigned(sha: string): boolean {
  const commit = execFileSync('git', ['cat-file', 'commit', sha], { encoding: 'utf8', timeout: TIMEOUT_MS });
  const [headers = ''] = commit.split('\n\n');
  return /^gpgsig(?:-sha256)? /mu.test(headers);
}

/** Returns true and prints the reason if the push is refused; otherwise false. */
function refuse(protections: readonly Protection[], change: string): boolean {
  const [before = '', after = '', ref = ''] = change.split(' ');
  if (!ref.startsWith(HEADS)) return false;
  const rules = protections.filter(({ pattern }) => matchesBranch(pattern, ref.slice(HEADS.length)));
  if (rules.length === 0) return false;
  const refusal = toRefusal(rules, readPush(before, after, ref), process.env['WORLD_PAGE'] ?? '');
  if (refusal === null) return false;
  process.stderr.write(`${[...refusal.lines, `refused: ${refusal.reason}`].join('\n')}\n`);
  return true;
}

const protections = objectsAt(parseJson(process.env['WORLD_PROTECTIONS'] ?? '{}'), 'list').map(parseProtection);
const changes = readFileSync(0, 'utf8').split('\n');
if (changes.some((change) => refuse(protections, change))) process.exitCode = 1;
