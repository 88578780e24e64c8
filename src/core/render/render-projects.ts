import type { EnginesReport } from '../model/engine-report.ts';
import { toOneLine } from '../text/escape.ts';

type Considered = EnginesReport['projects'][number];

/** The folders of a repository with the engines that run there, and why each was taken or not. Empty if nothing was considered. */
export function renderProjects(projects: readonly Considered[], title: string): string {
  const byFolder = Map.groupBy(projects, ({ project }) => project);
  const folders = [...byFolder].flatMap(([folder, own]) => (folder === null ? [] : [{ folder, own }]));
  const unused = byFolder.get(null) ?? [];
  const lines = folders
    .toSorted(byName)
    .flatMap(({ folder, own }) => [
      `${indent(folder)}${toOneLine(folder)}`,
      ...own.map((one) => `${indent(folder)}  ${renderOne(one)}`),
    ]);
  const rest =
    unused.length === 0 ? [] : ['  not found', ...unused.map((one) => `    ${one.engine}: ${toOneLine(one.why)}`)];
  return lines.length + rest.length === 0 ? '' : [title, ...lines, ...rest].join('\n');
}

interface Named {
  readonly folder: string;
}

function byName({ folder: left }: Named, { folder: right }: Named): number {
  return left < right ? -1 : 1;
}

/** Folders are indented below the root by their depth. */
function indent(folder: string): string {
  return '  '.repeat(folder === '.' ? 1 : 1 + folder.split('/').length);
}

function renderOne({ engine, isTaken, why }: Considered): string {
  return isTaken ? `${engine}, for ${toOneLine(why)}` : `not ${engine}: ${toOneLine(why)}`;
}
