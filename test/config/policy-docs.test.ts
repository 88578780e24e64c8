import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toAgentSettings } from '../../src/config/agent-entry.ts';
import { AGENT_FIELDS } from '../../src/config/agent-variables.ts';
import { parseAgentsFile } from '../../src/config/agents-file.ts';
import { parsePrices } from '../../src/config/model-prices.ts';
import { parseOperatorFile } from '../../src/config/operator-file.ts';
import { parsePolicyFile } from '../../src/config/policy-file.ts';
import { toPolicyFileText } from '../../src/config/policy-file-text.ts';
import { SETUP_FIELDS } from '../../src/config/registry-variables.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { MODEL_PRICES } from '../../src/core/models/model-prices.ts';
import { listChanges } from '../../src/core/policy/list-changes.ts';
import { mergePolicy } from '../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const manual = read('policy');
const enginesManual = read('engines');

function findExamples(info: string): readonly string[] {
  return [...manual.matchAll(/^```(.*)\n([\s\S]*?)^```$/gmu)].flatMap(([, found, text]) =>
    found === info && text !== undefined ? [text] : [],
  );
}

/** Keys, and those of the sections below them but for `engines`, which has a manual of its own. */
function listNames(policy: object): readonly string[] {
  const names = Object.entries(policy).flatMap(([name, value]: [string, unknown]) => {
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'engines';
    return isSection ? [name, ...listNames(value).map((key) => `${name}.${key}`)] : [name];
  });
  return names.toSorted();
}

describe('the manual of the policy file', () => {
  it('has one example of each file, and every block of YAML in it is one of them', () => {
    expect(findExamples('yaml')).toHaveLength(1);
    expect(findExamples('yaml operator')).toHaveLength(1);
    expect(manual.match(/^```ya?ml.*$/gmu)).toHaveLength(2);
  });

  it('shows a valid policy file, in which each key sets something', () => {
    const parsed = parsePolicyFile(findExamples('yaml')[0] ?? '');

    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    const { policy } = mergePolicy([parsed.layer], NO_OPERATOR_POLICY);
    expect(listChanges(DEFAULT_POLICY, policy).map(({ name }) => name)).toEqual([
      'mode',
      'ci.required',
      'ci.ignore',
      'merge.regenerate',
      'reviews.allowBots',
      'reviews.ignore',
      'labels.enable',
      'setup',
      'install.hosts',
      'validate',
      'agent.model',
      'agent.budget.usd',
      'changes.allowedPaths',
      'changes.protectedPaths',
      'engines',
    ]);
  });

  it('has a reference of every key', () => {
    const [, table = ''] = manual.split(/<!-- (?:keys of policy|end)/u);
    const names = [...table.matchAll(/^\| (?:\*\*)?`([\w.]+)`/gmu)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(listNames(DEFAULT_POLICY));
  });

  it('has a reference of every key of an engine', () => {
    const names = [...enginesManual.matchAll(/^\| `([\w.]+)`/gmu)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['auto', 'failLevel', 'paths', 'timeoutSeconds', 'command', 'matcher']),
    );
  });

  it("shows a valid operator's file", () => {
    const { defaults, ceilings } = parseOperatorFile(findExamples('yaml operator')[0] ?? '', 'policy.yml');

    expect(defaults).toMatchObject({ mode: 'suggest' });
    expect(Object.keys(ceilings)).toHaveLength(12);
  });
});

const EVERY_SETTING = {
  enabled: false,
  paths: [],
  config: 'eslint.config.js',
  args: ['--x'],
  env: { A: 'b' },
  profile: 'strict',
  cwd: 'packages/a',
  exitCodes: { success: [3], diagnostic: [1], toolFailure: [] },
  timeoutSeconds: 5,
  required: true,
};

const OWN_TOOL = {
  command: ['./check', '{targets}'],
  format: 'matcher',
  kind: 'type',
  globs: ['*.c'],
  targets: 'packages',
  from: 'stderr',
  matcher: '.github/own.json',
};

describe('toPolicyFileText', () => {
  it('reads back as the policy that it was made of', () => {
    const policy = { ...DEFAULT_POLICY, validate: ['a: b', '#c'], labels: { enable: null, hold: 'null' } };

    const parsed = parsePolicyFile(toPolicyFileText(policy));

    expect(parsed).toEqual({ kind: 'ok', layer: policy });
  });

  it.each([
    ['engines by name', 'engines: {auto: true, failLevel: low, eslint: , mypy: false}'],
    ['every setting of an engine', `engines: {eslint: ${JSON.stringify(EVERY_SETTING)}}`],
    ['a tool of the repository', `engines: {own: ${JSON.stringify(OWN_TOOL)}}`],
    ['engines: auto', 'engines: auto'],
  ])('reads back with %s', (_what, text) => {
    const toPolicy = (file: string) => {
      const parsed = parsePolicyFile(file);
      if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
      return mergePolicy([parsed.layer], NO_OPERATOR_POLICY).policy;
    };
    const policy = toPolicy(text);

    expect(policy.engines).not.toBeNull();
    expect(toPolicy(toPolicyFileText(policy))).toEqual(policy);
  });
});

describe('the manual of the operator', () => {
  const operating = read('operating');

  it.each(Object.keys({ ...AGENT_FIELDS, ...SETUP_FIELDS }))('explains %s', (name) => {
    expect(operating).toMatch(new RegExp(`^\\| [^|]*\`${name}\`[^|]*\\| [^|]{10,}\\|`, 'mu'));
  });

  it('shows a file of agents and a file of prices that are valid', () => {
    const [agents = '', prices = ''] = [...operating.matchAll(/^```yaml\n([\s\S]*?)^```$/gmu)].map(([, text]) => text);
    const known = { ...MODEL_PRICES, ...parsePrices(prices, 'prices.yml') };
    expect(Object.keys(parsePrices(prices, 'prices.yml'))).toHaveLength(1);
    for (const entry of parseAgentsFile(agents, 'agents.yml')) {
      const { prices: priced = {} } = toAgentSettings(entry, known).endpoint ?? {};
      expect(Object.keys(priced).toSorted()).toEqual(entry.models?.toSorted());
    }
  });
});
