import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { findUnknown } from './known-commands.ts';
import { type Block, readDocument } from './read-document.ts';

/** A line that somebody would type. */
const LOOKS_TYPED = /^(?:\$ )?(?:ratchet|npm|npx|node|git|curl|sudo|export|docker|systemctl) /mu;

/** Languages that would hide commands from the test. */
const SHELLS = new Set(['bash', 'shell', 'console', 'shell-session', 'zsh']);

/** The formatter writes the last marker as quotes in quotes. */
const LEFT_BY_MERGE = /^(?:<{7} |(?:> ?){7})/mu;

/** Everything that is wrong with a document without running it, each with its line. */
export function findProblems(path: string, text: string): readonly string[] {
  const { blocks, words, links, anchors, problems } = readDocument(text);
  return [
    ...problems,
    ...blocks.flatMap((block) => findInBlock(block).map((problem) => `line ${String(block.line)}: ${problem}`)),
    ...words.flatMap(findUnknown),
    ...links.flatMap((link) => findBroken(path, link, anchors)),
    ...(LEFT_BY_MERGE.test(text) ? ['a merge left its markers'] : []),
  ];
}

function findInBlock({ language, text, notRun, exitCode }: Block): readonly string[] {
  if (language === 'sh') return [...findBadSyntax(text), ...findUnknown(text)];
  const marked = notRun !== null || exitCode !== 0 ? ['the mark before this block says nothing: only sh is run'] : [];
  if (SHELLS.has(language) || (language === '' && LOOKS_TYPED.test(text)))
    return [...marked, 'this block has commands: its language is sh'];
  return [...marked, ...findUnreadable(language, text)];
}

function findBadSyntax(text: string): readonly string[] {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 ? [] : [`the shell cannot read it: ${stderr.trim()}`];
}

function findUnreadable(language: string, text: string): readonly string[] {
  try {
    if (language === 'json') JSON.parse(text);
    if (language === 'yaml') parseYaml(text);
    return [];
  } catch (error) {
    return [`${language} cannot be parsed: ${String(error)}`];
  }
}

function findBroken(path: string, link: string, anchors: ReadonlySet<string>): readonly string[] {
  if (/^(?:https?:|mailto:)/u.test(link)) return [];
  const [file = '', anchor = null] = link.split('#');
  if (file === '') return anchor !== null && anchors.has(anchor) ? [] : [`${link} leads to no heading`];
  const target = normalize(join(dirname(path), file));
  if (target.startsWith('..') || !existsSync(target)) return [`${link} leads to nothing`];
  if (anchor === null || statSync(target).isDirectory()) return [];
  const known = readDocument(readFileSync(target, 'utf8')).anchors;
  return known.has(anchor) ? [] : [`${link} leads to no heading of ${target}`];
}
