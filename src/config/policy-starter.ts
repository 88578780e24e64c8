import { stringify } from 'yaml';
import { type Declared, POLICY_KEYS, type Section, type Setting } from '../core/model/policy.ts';

const HEAD = `# Policy of Ratchet for this repository. Ratchet reads it from the base branch of a pull request.
# Every key is optional. The lines below show the defaults: take away the "#" before a key to change it, and before its section.
# A first day without risk: mode: observe. Ratchet then tells what it would do, and does nothing.
# \`ratchet config validate\` checks this file, and docs/policy.md explains every key.
`;

/**
 * The text of a new policy file: each key with its meaning and its default, all of it commented out. Without the first \`#\` of each line
 * that has no single blank behind it, it sets every key to its default.
 */
export function toPolicyStarter(): string {
  const blocks = Object.entries(POLICY_KEYS satisfies Declared).map(([name, declared]) =>
    renderKey(name, declared, '').join('\n'),
  );
  return `${[HEAD, ...blocks].join('\n')}\n`;
}

function renderKey(name: string, declared: Setting | Section, indent: string): readonly string[] {
  const prose = `${indent}# ${declared.doc}${'keys' in declared ? '' : toChoices(declared)}`;
  if ('keys' in declared) {
    const inner = Object.entries(declared.keys).flatMap(([key, value]) => renderKey(key, value, `${indent}  `));
    return [prose, `#${indent}${name}:`, ...inner];
  }
  // No file can write that such a key is not set.
  if (declared.nullable === 'unset' || declared.kind === 'engines') return [prose, `${indent}# (${name} is not set)`];
  const lines = stringify({ [name]: declared.default }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
  return [prose, ...lines.map((line) => `#${indent}${line}`)];
}

function toChoices(setting: Setting): string {
  return setting.kind === 'choice' ? ` One of: ${setting.values.join(', ')}.` : '';
}
