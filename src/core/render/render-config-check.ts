import type { SettingChange } from '../policy/list-changes.ts';
import { cutBytes } from '../text/cut-bytes.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { toDetails, toParagraphs, toSection } from './markdown.ts';
import { MAX_SUMMARY_BYTES } from './render-check-run.ts';

const MAX_VALUE_LENGTH = 300;
const MAX_LINE_LENGTH = 500;

/** A policy file that a pull request changes. */
export interface ConfigStory {
  /** Problems of the file, one line each; empty if it is valid. */
  readonly problems: readonly string[];
  /** Engines that a mistake in their settings would switch off, one line each. */
  readonly engineErrors: readonly string[];
  /** The pull request deletes the file. */
  readonly isRemoved: boolean;
  /** Settings that would change. */
  readonly changes: readonly SettingChange[];
  /** The whole policy after the merge, as text. */
  readonly effective: string;
  /** What the operator's ceilings would reduce, one line each. */
  readonly clamped: readonly string[];
  /** Problems of the files in effect now, one line each. */
  readonly currentProblems: readonly string[];
}

/** The content of the check run about the policy file. */
export interface ConfigCheckText {
  readonly title: string;
  readonly summary: string;
  readonly conclusion: 'success' | 'failure';
}

/** The check run "Ratchet / config": the file's problems, or what it would change. All text of the file is escaped. */
export function renderConfigCheck(story: ConfigStory): ConfigCheckText {
  const { problems, engineErrors } = story;
  const parts = problems.length === 0 ? renderValid(story) : renderInvalid(story);
  return {
    title: toTitle(story),
    summary: cutBytes(`${toParagraphs([...parts, renderCurrent(story)])}\n`, MAX_SUMMARY_BYTES),
    conclusion: problems.length + engineErrors.length === 0 ? 'success' : 'failure',
  };
}

function toTitle({ problems, engineErrors, changes, isRemoved }: ConfigStory): string {
  const count = problems.length + engineErrors.length;
  if (count > 0) return `${toCountText(count, 'problem')} in the policy file`;
  const what = isRemoved ? 'The policy file is removed' : 'The policy file is valid';
  return `${what} · ${changes.length === 0 ? 'nothing changes' : `${toCountText(changes.length, 'setting')} would change`}`;
}

function renderInvalid({ problems, engineErrors }: ConfigStory): readonly string[] {
  return [
    'If this is merged, Ratchet starts nothing on pull requests into this branch. Until then, the policy file of the base branch applies.',
    toItems([...problems, ...engineErrors]).join('\n'),
  ];
}

function renderValid({ engineErrors, changes, clamped, effective }: ConfigStory): readonly string[] {
  return [
    'This takes effect when it is merged. Until then, the policy file of the base branch applies.',
    toSection('### Engines that would be switched off by a mistake', toItems(engineErrors)),
    toSection('### What would change', changes.map(renderChange)),
    toSection('### Above what the operator allows', toItems(clamped)),
    toDetails('The whole policy after the merge', toFence(effective)),
  ];
}

function renderCurrent({ currentProblems }: ConfigStory): string {
  const title = '### Wrong with the files that hold now\n\nNothing is launched until they are put right.';
  return toSection(title, toItems(currentProblems));
}

function renderChange({ name, before, after }: SettingChange): string {
  return `- ${toInlineCode(name)}: ${toValue(before)} → ${toValue(after)}`;
}

function toValue(json: string): string {
  return toInlineCode(json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json);
}

function toItems(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `- ${toPlainText(line, MAX_LINE_LENGTH)}`);
}
