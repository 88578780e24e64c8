import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import { createPathMatcher } from '../paths/path-globs.ts';
import { toShown } from './compare-assertions.ts';
import { toMissing } from './test-change.ts';

/** Programs that run tests or checks. */
export const RUNNERS =
  /\b(?:jest|vitest|mocha|ava|tap|node\s+--test|playwright|cypress|karma|pytest|unittest|tox|nox|nose2|go\s+(?:test|vet)|cargo\s+(?:test|nextest|clippy)|gradlew?|mvn|rspec|phpunit|eslint|tsc|mypy|ruff|biome|bun\s+test|deno\s+test|npm\s+(?:run\s+)?test|make\s+test|ctest|bats|rake|nyc|c8|coverage)\b/giu;

/** Files of commands. In others a runner's name stands among settings and dependencies. */
const COMMANDS =
  /(?:^|\/)(?:package\.json|tox\.ini|noxfile\.py|(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|\.gitlab-ci\.yml|\.travis\.yml)$|\.(?:sh|mk)$/u;
const NO_COMMAND = /^\s*(?:#|\/\/|deps\b|requires\b|install\b|uses:|image:|name:|session\.install\b)/u;
const MAX_LINES = 2000;

interface Command {
  readonly text: string;
  readonly runner: string;
  readonly line: number | null;
}

/** Commands that are gone, or that run fewer files than before, and targets that no longer lead to one. */
export function judgeCommands(path: string, old: string, now: string): readonly TestChangeFact[] {
  if (!COMMANDS.test(path)) return [];
  const [before, after] = [toCommands(path, old), toCommands(path, now)];
  const toKey = ({ text }: Command): string => text.replaceAll(/\s+/gu, ' ').trim();
  const free = [...toMissing(after, before, toKey)];
  const toFact = (line: number | null, what: string): TestChangeFact => ({
    ...{ code: 'TEST_COMMAND_WEAKENED', path, line, message: what, is: 'held' },
  });
  const facts = toMissing(before, after, toKey).flatMap((lost): readonly TestChangeFact[] => {
    const index = free.findIndex(({ runner }) => runner === lost.runner);
    const [partner] = index === -1 ? [] : free.splice(index, 1);
    if (partner === undefined)
      return after.length < before.length ? [toFact(null, `A command is gone: ${toShown(toKey(lost))}.`)] : [];
    return isNarrower(lost.text, partner.text)
      ? [toFact(partner.line, `Fewer files are tested: ${toShown(toKey(partner))}.`)]
      : [];
  });
  return [...facts, ...findCutTargets(old, now).map((what) => toFact(null, what))];
}

function toCommands(path: string, text: string): readonly Command[] {
  const lines = path.endsWith('package.json') ? toScripts(text) : text.split('\n').slice(0, MAX_LINES);
  const isScript = path.endsWith('package.json');
  return lines.flatMap((line, index) => {
    const [runner] = NO_COMMAND.test(line) ? [] : (line.match(RUNNERS) ?? []);
    return runner === undefined
      ? []
      : [{ text: line, runner: runner.toLowerCase(), line: isScript ? null : index + 1 }];
  });
}

function toScripts(text: string): readonly string[] {
  const scripts = parseJsonObject(text)?.['scripts'];
  return isJsonObject(scripts) ? Object.values(scripts).flatMap((one) => (typeof one === 'string' ? [one] : [])) : [];
}

function isNarrower(old: string, now: string): boolean {
  const [before, after] = [toPlaces(old), toPlaces(now)];
  if (before.length === 0) return after.length > 0;
  return after.length > 0 && !areCovered(before, after);
}

/** Words of a command that name files or folders. */
function toPlaces(command: string): readonly string[] {
  const words = command.split(/[\s"'`;()[\]]+|,(?=[\s"'])/u).filter((word) => /^[\w.@*{][\w./@*{},:-]*$/u.test(word));
  return words.filter((word) => /[/*]|\.[a-z]{1,4}$/iu.test(word) && !/^\.\/node_modules\/|:\/\//u.test(word));
}

/** Whether every place is among the others, or within one of them. */
export function areCovered(places: readonly string[], by: readonly string[]): boolean {
  const isEverything = by.some((place) => /^(?:\.|\.\/|\*\*|\*\*\/\*|\.\/\.\.\.)$/u.test(place));
  const matches = createPathMatcher(by);
  return places.every((place) => isEverything || by.includes(place) || matches(toSample(place)));
}

/** A file that the glob or folder holds. */
function toSample(place: string): string {
  const plain = place.replace(/^(?:\.\/)+/u, '').replace(/\/+$/u, '');
  const file = plain
    .replaceAll('**', 'some/folder')
    .replaceAll(/\{(?<first>[^,}]*)[^}]*\}/gu, '$<first>')
    .replaceAll('*', 'x');
  return /[*.]/u.test(plain) ? file : `${file}/x`;
}

const TARGET = /^(?<name>[\w.-]+)[ \t]*:(?!=)[ \t]*(?<needs>[^\n#=]*)$/gmu;

/** A target of a Makefile that no longer needs another one that runs tests. */
function findCutTargets(old: string, now: string): readonly string[] {
  const [before, after] = [toTargets(old), toTargets(now)];
  return [...before].flatMap(([name, { needs }]) => {
    const kept = after.get(name)?.needs ?? needs;
    const lost = needs.filter((need) => !kept.includes(need) && before.get(need)?.isTest === true);
    return lost.map((need) => `${toShown(name)} no longer runs ${toShown(need)}.`);
  });
}

function toTargets(text: string): ReadonlyMap<string, { readonly needs: readonly string[]; readonly isTest: boolean }> {
  const found = [...text.matchAll(TARGET)];
  return new Map(
    found.map((match, index) => {
      const [name, needs] = [String(match.groups?.['name']), String(match.groups?.['needs'])];
      const recipe = text.slice(match.index, found[index + 1]?.index ?? text.length);
      return [
        name,
        { needs: needs.split(/\s+/u).filter((need) => need !== ''), isTest: recipe.search(RUNNERS) !== -1 },
      ];
    }),
  );
}
