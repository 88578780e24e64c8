import { existsSync, globSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import { USAGES } from '../../src/cli/usages.ts';
import { COMMAND_NAMES } from '../../src/core/model/event.ts';

const SCRIPTS: ReadonlySet<string> = new Set(Object.keys(manifest.scripts));
/** What `npm` does without a script of ours. */
const OF_NPM = new Set(['ci', 'install', 'pack', 'start', 'test']);
/** A command of the command line, at a place where the shell reads the name of a program. */
const RATCHET = /(?:^|[;&|(])\s*(?:[A-Z_]+=\S+ )*(?:npm run (?:-s )?ratchet --|ratchet)\s+(?<rest>[^\n|;&<>#)]*)/gmu;
const NPM = /(?:^|[;&|(])\s*npm (?<rest>[^\n|;&#)]*)/gmu;
const VITEST = /(?:^|[;&|(])\s*npx vitest run (?<rest>[^\n|;&#)]*)/gmu;

/** What is wrong with the commands in lines of the shell, or in a word in code marks: none is carried out. */
export function findUnknown(text: string): readonly string[] {
  return [
    ...toRests(text, RATCHET).flatMap(findUnknownRatchet),
    ...toRests(text, NPM).flatMap(findUnknownScript),
    ...toRests(text, VITEST).flatMap(findMissingPath),
    ...Array.from(text.matchAll(/(?:^|\s)\/ratchet (?<name>[a-z]+)/gu), ([, name = '']) => name).flatMap((name) =>
      COMMAND_NAMES.some((known) => known === name) ? [] : [`there is no comment command ${name}`],
    ),
  ];
}

function toRests(text: string, pattern: RegExp): readonly (readonly string[])[] {
  const whole = text.replaceAll(/\\\n\s*/gu, ' ').replaceAll(/(?<=^|\s)#.*$/gmu, '');
  return Array.from(whole.matchAll(pattern), ({ groups }) => (groups?.['rest'] ?? '').trim().split(/\s+/u));
}

function findUnknownRatchet([name = '', ...args]: readonly string[]): readonly string[] {
  if (['help', '--help', '--version'].includes(name) || isPlaceholder(name)) return [];
  const usage = Object.entries(USAGES).find(([known]) => known === name)?.[1];
  if (usage === undefined) return [`there is no command ratchet ${name}`];
  return [
    ...args
      .flatMap((arg) => /^--[a-z][\w-]*/u.exec(arg)?.[0] ?? [])
      .filter((flag) => flag !== '--help' && !toFlags(usage).has(flag))
      .map((flag) => `ratchet ${name} has no flag ${flag}`),
    ...findUnknownAction(name, usage, args[0] ?? ''),
  ];
}

/** `ratchet session strat`: commands whose usage names actions take no other word in their place. */
function findUnknownAction(name: string, usage: string, written: string): readonly string[] {
  const actions = toActions(name, usage);
  if (actions.size === 0 || !/^[a-z]+(?:\|[a-z]+)*$/u.test(written)) return [];
  return written
    .split('|')
    .flatMap((action) => (actions.has(action) ? [] : [`ratchet ${name} has no action ${action}`]));
}

/** The flags that a usage names. */
export function toFlags(usage: string): ReadonlySet<string> {
  return new Set(Array.from(usage.matchAll(/--[a-z][\w-]*/gu), ([flag]) => flag));
}

/** The words that may follow a command: those of the lines of its usage. */
export function toActions(name: string, usage: string): ReadonlySet<string> {
  const lines = usage.matchAll(
    new RegExp(`^(?:usage:| {6}) ratchet ${name} (?<actions>[a-z]+(?:\\|[a-z]+)*)(?=\\s)`, 'gmu'),
  );
  return new Set(Array.from(lines, ({ groups }) => (groups?.['actions'] ?? '').split('|')).flat());
}

function isPlaceholder(word: string): boolean {
  return (
    word === '' || word === '--' || word === '…' || word.startsWith('<') || word.includes('/') || /^[A-Z]+$/u.test(word)
  );
}

function findUnknownScript([verb = '', ...rest]: readonly string[]): readonly string[] {
  const [script = ''] = rest.filter((word) => !/^-s$|^--silent$/u.test(word));
  if (verb === 'run') {
    if (script === '' || SCRIPTS.has(script) || isPlaceholder(script)) return [];
    return [`there is no script npm run ${script}`];
  }
  return OF_NPM.has(verb) || isPlaceholder(verb)
    ? []
    : [`npm ${verb} is none of the commands that these documents use`];
}

function findMissingPath(args: readonly string[]): readonly string[] {
  return args
    .filter((arg) => arg.includes('/') && !existsSync(arg) && globSync(arg).length === 0)
    .map((path) => `there is no ${path} to run`);
}
