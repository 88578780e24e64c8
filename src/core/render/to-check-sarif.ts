import { isHarmless } from '../findings/severity.ts';
import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EnginesReport } from '../model/engine-report.ts';
import type { Finding, Severity } from '../model/finding.ts';
import { toProjectName } from '../model/project.ts';
import { type CheckStory, createStandings, type Standing, toAllFindings } from './check-story.ts';
import { concludeCheck, isAllSeen } from './conclude-check.ts';
import { toFindingText } from './finding-text.ts';
import { listGaps } from './list-gaps.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const RATCHET = 'ratchet';
const LEVELS = { blocker: 'error', high: 'error', medium: 'warning', low: 'note' } as const satisfies Readonly<
  Record<Severity, string>
>;
const BASELINE_STATES = { new: 'new', existing: 'unchanged' } as const;
/** GitHub's code scanning refuses a log with a result that has no location. */
const ROOT_LOCATION = { physicalLocation: { artifactLocation: { uri: '.' } } } as const;

type Json = Readonly<Record<string, unknown>>;

/**
 * The SARIF 2.1.0 log of `ratchet check --sarif`. The first run is Ratchet's own: its invocation did not succeed unless
 * every engine looked at everything. Then comes one run for each engine, with one invocation for each time that it ran;
 * after a failure, or without a whole look, `executionSuccessful` is false and a notification says why. Findings that are
 * gone since the base are left out, because many readers would show them as open.
 */
export function toCheckSarif(story: CheckStory, version: string): Json {
  const { report } = story;
  const findings = Map.groupBy(toAllFindings(story), ({ tool }) => tool);
  const standings = createStandings(story);
  const engines = toNames([
    ...report.runs.map(({ engine }) => engine),
    ...report.engineErrors.map(({ engine }) => engine),
    ...findings.keys(),
  ]);
  const runs = engines
    .filter((engine) => engine !== RATCHET)
    .map((engine) => toEngineRun(report, { engine, findings: findings.get(engine) ?? [], standings }));
  const own = { findings: findings.get(RATCHET) ?? [], standings };
  return toLog([toRun({ name: RATCHET, version, invocations: [toOwnInvocation(story)], ...own }), ...runs]);
}

/** The log where there is no report: nothing ran, and `problems` say why. */
export function toFailedSarif({
  exitCode,
  problems,
  version,
}: {
  readonly exitCode: number;
  readonly problems: readonly string[];
  readonly version: string;
}): Json {
  const notifications = problems.map((text) => toNotification(text, 'error'));
  const invocation = { executionSuccessful: false, exitCode, toolConfigurationNotifications: notifications };
  return toLog([toRun({ name: RATCHET, version, invocations: [invocation], findings: [], standings: () => null })]);
}

function toLog(runs: readonly Json[]): Json {
  return { $schema: SCHEMA, version: '2.1.0', runs };
}

interface SarifRunInput {
  readonly name: string;
  readonly version: string | null;
  readonly invocations: readonly Json[];
  readonly findings: readonly Finding[];
  readonly standings: (finding: Finding) => Standing | null;
}

function toRun({ name, version, invocations, findings, standings }: SarifRunInput): Json {
  const rules = toNames(findings.map(toRuleId));
  const indexes = new Map(rules.map((id, index) => [id, index]));
  return {
    tool: { driver: { name, ...(version === null ? {} : { version }), rules: rules.map((id) => ({ id })) } },
    automationDetails: { id: `ratchet/${name}/` },
    invocations,
    results: findings.map((finding) => ({
      ruleId: toRuleId(finding),
      ruleIndex: indexes.get(toRuleId(finding)),
      ...toResult(finding, standings(finding)),
    })),
  };
}

/** A finding without a rule, such as a syntax error, is named by its kind. */
function toRuleId({ rule, kind }: Finding): string {
  return rule === null || rule === '' ? kind : rule;
}

function toResult(finding: Finding, standing: Standing | null): Json {
  const { severity, fingerprint, kind, testId, otherPlaces = [] } = finding;
  // The further places are locations of their own.
  const text = toFindingText({ ...finding, otherPlaces: [] });
  return {
    level: isHarmless(finding) ? 'none' : LEVELS[severity],
    message: { text: text === '' ? 'The tool gives no message.' : text },
    locations: [toLocation(finding)],
    ...(otherPlaces.length === 0
      ? {}
      : { relatedLocations: otherPlaces.map((place) => toLocation({ ...place, column: null, endLine: null })) }),
    partialFingerprints: { 'ratchetFingerprint/v1': fingerprint },
    ...(standing === null || standing === 'unknown' ? {} : { baselineState: BASELINE_STATES[standing] }),
    properties: { severity, kind, ...(testId === null ? {} : { testId }) },
  };
}

function toLocation({ path, line, column, endLine }: Pick<Finding, 'path' | 'line' | 'column' | 'endLine'>): Json {
  if (path === null) return ROOT_LOCATION;
  const artifactLocation = { uri: toUri(path) };
  if (line === null || line < 1) return { physicalLocation: { artifactLocation } };
  const region = {
    startLine: line,
    ...(column === null || column < 1 ? {} : { startColumn: column }),
    ...(endLine === null || endLine <= line ? {} : { endLine }),
  };
  return { physicalLocation: { artifactLocation, region } };
}

/** A relative reference. Its first segment must not look like the scheme of an absolute one. */
function toUri(path: string): string {
  return path
    .toWellFormed()
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
}

function toEngineRun(
  report: EnginesReport,
  { engine, ...rest }: Pick<SarifRunInput, 'findings' | 'standings'> & { readonly engine: string },
): Json {
  const runs = report.runs.filter((run) => run.engine === engine);
  const errors = report.engineErrors.filter((error) => error.engine === engine);
  const invocations = runs.map((run) => {
    return toInvocation(
      run,
      errors.filter((error) => isOf(error, run)),
    );
  });
  const lost = errors.filter((error) => !runs.some((run) => isOf(error, run))).map(toLostInvocation);
  const version = runs.find((run) => run.version !== null)?.version ?? null;
  return toRun({ name: engine, version, invocations: [...invocations, ...lost], ...rest });
}

function isOf(error: EngineError, run: EngineRun): boolean {
  return error.mode === run.mode && error.project === run.project;
}

function toInvocation(run: EngineRun, errors: readonly EngineError[]): Json {
  const gap = run.complete || errors.length > 0 ? [] : [toNotification(run.incompleteWhy ?? 'it failed', 'warning')];
  return {
    ...toCommand(run),
    ...(run.exit.exitCode === null ? {} : { exitCode: run.exit.exitCode }),
    executionSuccessful: run.complete && errors.length === 0,
    toolExecutionNotifications: [...errors.map(toErrorNotification), ...gap],
    properties: { project: run.project, mode: run.mode, cached: run.cached },
  };
}

/** An engine that left no run at all. */
function toLostInvocation(error: EngineError): Json {
  return {
    ...toCommand(error),
    ...(error.exitCode === null ? {} : { exitCode: error.exitCode }),
    executionSuccessful: false,
    toolExecutionNotifications: [toErrorNotification(error)],
    properties: { project: error.project, mode: error.mode },
  };
}

function toCommand({ argv, cwd }: Pick<EngineRun, 'argv' | 'cwd'>): Json {
  const workingDirectory = { uri: cwd === '.' ? '.' : `${toUri(cwd)}/` };
  return argv.length === 0 ? { workingDirectory } : { commandLine: argv.join(' '), arguments: argv, workingDirectory };
}

function toErrorNotification({ kind, message }: EngineError): Json {
  return { ...toNotification(message, 'error'), descriptor: { id: kind } };
}

function toNotification(text: string, level: 'error' | 'warning' | 'note'): Json {
  return { level, message: { text: text === '' ? 'no reason is known' : text } };
}

/** How the check as a whole went. Everything that was not looked at is named here too. */
function toOwnInvocation(story: CheckStory): Json {
  const { report, comparison } = story;
  const gaps = listGaps(story).map(({ engine, why }) =>
    toNotification(engine === null ? why : `${engine}: ${why}`, 'error'),
  );
  const skipped = report.skipped
    .filter(({ why }) => why !== 'dependencies_missing')
    .map(({ why, ...one }) => toNotification(`${toProjectName(one)} did not run: ${why.replaceAll('_', ' ')}`, 'note'));
  const open = (comparison?.engines ?? []).flatMap((engine) =>
    engine.kind === 'compared'
      ? []
      : [toNotification(`${toProjectName(engine)} is not comparable: ${engine.why}`, 'warning')],
  );
  return {
    exitCode: concludeCheck(story),
    executionSuccessful: isAllSeen(story),
    toolExecutionNotifications: [...gaps, ...skipped, ...open],
  };
}

function toNames(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].toSorted();
}
