import { z } from 'zod';
import type { EngineKind, GenericFormat } from '../core/model/engine.ts';
import {
  DECLARATION_KEYS,
  type DeclaredEngine,
  ENGINE_KEYS,
  ENGINES_KEYS,
  type EngineSettings,
  PROJECTS_KEYS,
} from '../core/model/policy.ts';
import type { EnginesLayer } from '../core/policy/merge-engines.ts';
import { toShape } from './setting-schema.ts';

const MAX_ENGINES = 50;
const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const MAX_ID_LENGTH = 50;
const REPORT = '{report}';
const TARGETS = '{targets}';

/** The settings of one engine. */
const Entry = z
  .strictObject({ ...toShape(ENGINE_KEYS), ...toShape(DECLARATION_KEYS) })
  .superRefine((given, context) => {
    for (const [name, message] of findFaults(given)) context.addIssue({ code: 'custom', path: [name], message });
  });

type Given = z.output<typeof Entry>;
type Fault = readonly [key: keyof Given, message: string];

const DECLARING = ['format', 'kind', 'globs', 'targets', 'from', 'matcher', 'emptyMeansClean', 'fix'] as const;

function findFaults(given: Given): readonly Fault[] {
  if (given.command === undefined)
    return DECLARING.filter((name) => given[name] !== undefined).map((name) => [name, 'only beside `command`']);
  if (given.format === undefined) return [['command', '`format` must say what it writes']];
  return [
    ...findMatcherFaults(given),
    ...findEmptyFaults(given),
    ...findKindFaults(given, given.format),
    ...findCommandFaults(given),
    ...findFixFaults(given),
  ];
}

function findMatcherFaults({ format, matcher }: Given): readonly Fault[] {
  if (format === 'matcher') return matcher === undefined ? [['format', '`matcher` must name its file']] : [];
  return matcher === undefined ? [] : [['matcher', 'only with `format: matcher`']];
}

function findEmptyFaults({ format, emptyMeansClean }: Given): readonly Fault[] {
  if (emptyMeansClean !== true || format === 'jsonl' || format === 'matcher') return [];
  return [['emptyMeansClean', 'only with `format: jsonl` or `format: matcher`']];
}

function findKindFaults({ kind }: Given, format: GenericFormat): readonly Fault[] {
  if (kind === undefined) return [];
  const isOfCoverage = KIND_OF_FORMAT[format] === 'coverage';
  return isOfCoverage === (kind === 'coverage') ? [] : [['kind', `cannot be ${kind} where the format is ${format}`]];
}

function findCommandFaults({ command = [], from, targets }: Given): readonly Fault[] {
  const [program, ...rest] = command;
  const hasTargets = rest.includes(TARGETS);
  const hasReport = rest.some((text) => text.includes(REPORT));
  return [
    ...(program?.trim() === '' ? ([['command', 'names no program']] as const) : []),
    ...(from === 'file' && !hasReport ? ([['from', '`{report}` must be in the command']] as const) : []),
    ...(from !== undefined && from !== 'file' && hasReport
      ? ([['from', 'must be file where `{report}` is in the command']] as const)
      : []),
    ...(targets !== undefined && (targets === 'project') === hasTargets
      ? ([['targets', hasTargets ? 'not needed for the whole project' : '`{targets}` must be in the command']] as const)
      : []),
  ];
}

/** A fixer gets the files that it may change. Without them nobody could narrow it down. */
function findFixFaults({ fix }: Given): readonly Fault[] {
  if (fix === undefined) return [];
  const [program, ...rest] = fix;
  if (program?.trim() === '') return [['fix', 'names no program']];
  return rest.includes(TARGETS) ? [] : [['fix', '`{targets}` must be in the command']];
}

const KIND_OF_FORMAT: Readonly<Record<GenericFormat, EngineKind>> = {
  sarif: 'lint',
  matcher: 'lint',
  jsonl: 'lint',
  junit: 'test',
  lcov: 'coverage',
  istanbul: 'coverage',
};

function toSettings(given: Given): Partial<EngineSettings> {
  const { command, format, kind, globs, targets, from, matcher, emptyMeansClean, fix, ...settings } = given;
  if (command === undefined || format === undefined) return settings;
  const declared: DeclaredEngine = {
    command,
    format,
    kind: kind ?? KIND_OF_FORMAT[format],
    globs: globs ?? ['**/*'],
    targets: targets ?? (command.includes(TARGETS) ? 'files' : 'project'),
    from: from ?? (command.some((text) => text.includes(REPORT)) ? 'file' : 'stdout'),
    matcher: matcher ?? null,
    emptyMeansClean: emptyMeansClean ?? false,
    matcherText: null,
    fix: fix ?? null,
  };
  return { ...settings, declared };
}

const Engine = z
  .union([z.boolean(), z.null(), Entry], 'expected true, false, or the settings of the engine')
  .transform((given) => (typeof given === 'boolean' || given === null ? { enabled: given ?? true } : toSettings(given)))
  .meta({ description: 'true: it runs; false: it does not; or what it is set to.' });

const OWN_KEYS: readonly string[] = [...Object.keys(ENGINES_KEYS), 'projects'];

const Projects = z
  .strictObject(toShape(PROJECTS_KEYS))
  .meta({ description: 'Which folders are projects, for all engines.' });

const Engines = z
  .strictObject({ ...toShape(ENGINES_KEYS), projects: Projects.exactOptional() })
  .catchall(Engine)
  .superRefine((given, context) => {
    const ids = Object.keys(given).filter((name) => !OWN_KEYS.includes(name));
    if (ids.length > MAX_ENGINES) context.addIssue({ code: 'custom', message: 'there are too many engines' });
    for (const id of ids.slice(0, MAX_ENGINES)) {
      const message = 'an engine has a name of lower case letters, digits and hyphens, of at most 50 characters';
      if (!ID.test(id) || id.length > MAX_ID_LENGTH) context.addIssue({ code: 'custom', path: [id], message });
    }
  })
  .transform(
    ({ auto, failLevel, projects, ...engines }): EnginesLayer => ({
      ...(auto === undefined ? {} : { auto }),
      ...(failLevel === undefined ? {} : { failLevel }),
      ...(projects === undefined ? {} : { projects }),
      engines,
    }),
  );

/** `engines` of a policy file: `auto`, off, or a mapping of engines by name with `auto`, `failLevel` and `projects`. */
export const EnginesSetting = z
  .union(
    [z.literal('auto'), z.literal('off'), z.literal(false), z.null(), Engines],
    'expected auto, off, or engines by name',
  )
  .transform((given): EnginesLayer | null => {
    if (given === 'auto') return { auto: true };
    return given === 'off' || given === false ? null : given;
  });
