import { escapeGlob } from '../../core/engines/find-scripts.ts';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineKind, EngineSpec, FixerSpec, GenericFormat, Parser } from '../../core/model/engine.ts';
import { assertNever } from '../../core/model/errors.ts';
import type { FindingKind } from '../../core/model/finding.ts';
import type { DeclaredEngine, EngineSettings } from '../../core/model/policy.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput } from '../declare/plan-arguments.ts';
import { parseIstanbul } from './parse-istanbul.ts';
import { createJsonlParser } from './parse-jsonl.ts';
import { parseJunit } from './parse-junit.ts';
import { parseLcov } from './parse-lcov.ts';
import { createMatcherParser } from './parse-matcher.ts';
import { createSarifParser } from './parse-sarif.ts';

const REPORT = '{report}';
const TARGETS = '{targets}';

/** The kind of an engine's findings if a format has no kinds of its own. */
const FINDING_KIND_OF: Readonly<Record<EngineKind, FindingKind>> = {
  lint: 'lint',
  type: 'type',
  format: 'format',
  test: 'test_failure',
  coverage: 'coverage_gap',
};

const REPORT_NAMES: Readonly<Record<GenericFormat, string>> = {
  sarif: 'report.sarif',
  junit: 'report.xml',
  matcher: 'report.txt',
  jsonl: 'report.jsonl',
  lcov: 'lcov.info',
  istanbul: 'coverage-final.json',
};

/**
 * The catalogue entry for a command that a repository declares. It assumes nothing about the command's language or platform
 * (000.R17, R20): Ratchet passes arguments and reads the output. Results are never cached, because the tool's version is unknown.
 */
export function toDeclaredSpec(id: string, declared: DeclaredEngine): EngineSpec {
  const { command, format, kind, from, globs, targets, matcher, emptyMeansClean } = declared;
  return {
    ...ENGINE_DEFAULTS,
    id,
    kind,
    globs,
    targetMode: targets,
    launchers: [{ kind: 'declared', argv: command.slice(0, 1) }],
    toCommands: (input) => [toArguments(toCoveringInput(input, globs), REPORT_NAMES[format])],
    output: { from, reports: [REPORT_NAMES[format]], emptyMeansClean },
    parse: createParser(declared),
    exitCodes: [{ versions: null, codes: { success: [], diagnostic: [], toolFailure: [] } }],
    configFiles: matcher === null ? [] : [escapeGlob(matcher)],
    detection: {},
    isCacheable: false,
    ...(declared.fix === null ? {} : { fixer: toFixer(declared.fix) }),
  };
}

/** What a fixer writes is not read. Its exit code says whether it could work. */
function toFixer(fix: readonly string[]): FixerSpec {
  const nothing = { findings: [], partial: null, toolFailure: null, tests: null, coverage: null } as const;
  return {
    launchers: [{ kind: 'declared', argv: fix.slice(0, 1) }],
    toCommands: ({ plan }) => [
      fix.slice(1).flatMap((argument) => (argument === TARGETS ? toTargetsFrom(plan) : [argument])),
    ],
    output: { from: 'stdout', emptyMeansClean: true },
    parse: () => ({ kind: 'parsed', ...nothing }),
  };
}

/**
 * Settings whose plan contains the whole command and how its output is read. The plan's arguments begin with the command, so
 * another command gives another plan, and findings of the two are not compared.
 */
export function toDeclaredSettings(settings: EngineSettings, declared: DeclaredEngine): EngineSettings {
  const { command, format, kind, from } = declared;
  const profile = [`${kind} by ${format} from ${from}`, ...(settings.profile === null ? [] : [settings.profile])];
  return { ...settings, args: [...command, ...settings.args], profile: profile.join(', ') };
}

/** The arguments after the program. The argument `{targets}` becomes the targets, `{report}` anywhere the report's path. */
function toArguments({ plan, artifacts }: ArgsInput, reportName: string): readonly string[] {
  const report = `${artifacts}/${reportName}`;
  return plan.args
    .slice(1)
    .flatMap((argument) => (argument === TARGETS ? toTargetsFrom(plan) : [argument.replaceAll(REPORT, () => report)]));
}

function createParser({ format, kind, matcherText }: DeclaredEngine): Parser {
  const findingKind = FINDING_KIND_OF[kind];
  switch (format) {
    case 'sarif':
      return createSarifParser(findingKind);
    case 'junit':
      return parseJunit;
    case 'matcher':
      return createMatcherParser({ definition: matcherText, kind: findingKind });
    case 'jsonl':
      return createJsonlParser(findingKind);
    case 'lcov':
      return parseLcov;
    case 'istanbul':
      return parseIstanbul;
    default:
      return assertNever(format);
  }
}
