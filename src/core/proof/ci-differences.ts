import { toOneLine } from '../text/escape.ts';
import { toNamesText } from '../text/words.ts';
import type { CiPlace, CiTool, ToolName } from './ci-place.ts';

/** What each toolchain printed of its version here; null: it is not there. One that nobody asked is missing. */
export type OwnTools = ReadonlyMap<ToolName, string | null>;

const PLAIN_VERSION = /^v?(?<version>\d+(?:\.\d+)*)(?:\.[x*])*$/u;
const MAX_VERSION = 60;

/**
 * In what the jobs of CI differ from the place where their failure was not red, one sentence each. Only what the workflow files say for
 * sure: a version that both have is none, and one that only CI knows, such as a value of a matrix without its name, is left out.
 */
export function toDifferences({ services, secrets, tools, systems, image }: CiPlace, own: OwnTools): readonly string[] {
  return [
    ...(services.length === 0
      ? []
      : [`CI runs services beside its job, and there are none here: ${toNamesText(services)}.`]),
    ...(secrets.length === 0 ? [] : [`CI gives secrets to its job, and there are none here: ${toNamesText(secrets)}.`]),
    ...(systems.length === 0 ? [] : [`CI runs on ${toNamesText(systems)}, and here it is the Linux of this machine.`]),
    ...(image === null ? [] : [`CI runs in the image ${toNamesText([image])}, and not in this sandbox.`]),
    ...tools.flatMap((tool) => toToolText(tool, own.get(tool.name))),
  ];
}

function toToolText({ name, version }: CiTool, printed: string | null | undefined): readonly string[] {
  if (printed === undefined || version.includes('${{')) return [];
  const ci = toOneLine(version.slice(0, MAX_VERSION));
  const here = printed === null ? null : (/\d+(?:\.\d+)*/u.exec(printed)?.[0] ?? null);
  if (here === null) return [`CI uses ${name} ${ci}, and there is none here.`];
  const plain = PLAIN_VERSION.exec(version)?.groups?.['version'];
  if (plain !== undefined && `${here}.`.startsWith(`${plain}.`)) return [];
  return [`CI uses ${name} ${ci}, and here it is ${here}.`];
}
