import { z } from 'zod';
import { toSeverity } from '../../core/findings/severity.ts';
import type { Parser, Payload } from '../../core/model/engine.ts';
import type { FindingKind, ParsedFinding } from '../../core/model/finding.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { MAX_FINDINGS, type ToldFinding, toFinding } from '../parse/to-finding.ts';
import { toNotes } from '../parse/to-notes.ts';
import { toPayload } from '../parse/to-payload.ts';
import type { Roots } from '../parse/to-repository-path.ts';
import { locateSarifArtifact } from './locate-sarif-artifact.ts';
import {
  type SarifInvocation,
  type SarifLocation,
  SarifLog,
  type SarifMessage,
  type SarifNotification,
  type SarifRegion,
  SarifResult,
  type SarifRule,
  type SarifRun,
} from './sarif-log.ts';

/** GitHub's code scanning accepts as many runs in one log. */
const MAX_RUNS = 20;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_RULE_LENGTH = 256;

/** Result kinds whose level is `none`. An unknown kind may be bad news. */
const NO_FAILURE: readonly string[] = ['informational', 'open', 'review'];

type Reading =
  | {
      readonly kind: 'ok';
      readonly findings: readonly ParsedFinding[];
      /** Number of results whose files are all outside of the repository. */
      readonly outside: number;
    }
  | { readonly kind: 'invalid'; readonly why: string };

/**
 * Creates a parser of SARIF 2.1.0 whose findings have the given kind. Results that are suppressed, gone (`absent`), not a failure
 * (`pass`), or in files outside of the root are not findings; the last ones are counted in a note. If all are outside, the tool
 * checked something else, and the run is partial. So it is if there are no runs. A tool that reports that it failed has failed, regardless of its results. A tool that reports errors of its own, or
 * leaves out its results, has not checked everything. Columns are used as they are, ignoring `columnKind`: they cannot be
 * converted without the text of the line, and no finding is matched by them.
 */
export function createSarifParser(kind: FindingKind): Parser {
  return createJsonParser('the SARIF log', SarifLog, ({ runs }, input) => readRuns(runs, kind, input));
}

function readRuns(runs: readonly SarifRun[], kind: FindingKind, roots: Roots): Payload {
  const findings: ParsedFinding[] = [];
  let partial = toRunsPartial(runs);
  let toolFailure: string | null = null;
  let outside = 0;
  let left = MAX_FINDINGS;
  for (const [index, run] of runs.slice(0, MAX_RUNS).entries()) {
    const results = run.results ?? [];
    const reading = readResults(results.slice(0, left), { run, rules: toRulesById(run), kind, roots });
    if (reading.kind === 'invalid')
      return { kind: 'invalid', why: `the SARIF log: runs.${String(index)}.${reading.why}` };
    findings.push(...reading.findings);
    if (results.length > left) partial ??= `the log has more than ${String(MAX_FINDINGS)} results`;
    left = Math.max(0, left - results.length);
    outside += reading.outside;
    const isElsewhere = reading.outside > 0 && reading.findings.length === 0;
    partial ??= toPartial(run) ?? (isElsewhere ? 'all results of a run lie outside of the repository' : null);
    toolFailure ??= toFailure(run);
  }
  return toPayload({
    ...{ findings, partial, toolFailure },
    ...toNotes([[outside, 'result lies outside of the repository', 'results lie outside of the repository']]),
  });
}

function toRunsPartial({ length }: readonly SarifRun[]): string | null {
  if (length === 0) return 'the log has no runs';
  return length > MAX_RUNS ? `the log has more than ${String(MAX_RUNS)} runs` : null;
}

/** By the standard, the list is missing if the tool did not start to check, and empty if it found nothing. */
function toPartial(run: SarifRun): string | null {
  if (run.results === undefined || run.results === null) return 'a run of the log has no list of results';
  const error = listNotifications(run).find(({ level }) => level === 'error');
  return error === undefined ? null : `the tool reports an error of its own: ${toText(error.message) ?? 'no message'}`;
}

function toFailure(run: SarifRun): string | null {
  const failed = run.invocations?.find(hasFailed);
  if (failed === undefined) return null;
  const error = listNotifications(run).find(({ level }) => level === 'error');
  const { exitCodeDescription, processStartFailureMessage, exitSignalName } = failed;
  const why = exitCodeDescription ?? processStartFailureMessage ?? toText(error?.message) ?? exitSignalName ?? null;
  return `the log says that the tool did not succeed${why === null ? '' : `: ${why.slice(0, MAX_MESSAGE_LENGTH)}`}`;
}

function hasFailed(invocation: SarifInvocation): boolean {
  const { executionSuccessful, processStartFailureMessage, exitSignalName } = invocation;
  return executionSuccessful === false || processStartFailureMessage !== undefined || exitSignalName !== undefined;
}

function listNotifications(run: SarifRun): readonly SarifNotification[] {
  return (run.invocations ?? []).flatMap((invocation) => [
    ...(invocation.toolExecutionNotifications ?? []),
    ...(invocation.toolConfigurationNotifications ?? []),
  ]);
}

interface Context {
  readonly run: SarifRun;
  readonly rules: ReadonlyMap<string, SarifRule>;
  readonly kind: FindingKind;
  readonly roots: Roots;
}

function readResults(results: readonly unknown[], context: Context): Reading {
  const checked = z.array(SarifResult).safeParse(results);
  if (!checked.success)
    return { kind: 'invalid', why: `results.${String(checked.error.issues[0]?.path[0])}: it has another shape` };
  const reported = checked.data.filter(isReported);
  const findings = reported.flatMap((result) => toResultFinding(result, context) ?? []);
  return {
    kind: 'ok',
    findings,
    outside: reported.length - findings.length,
  };
}

function isReported({ kind, baselineState, suppressions }: SarifResult): boolean {
  if (kind === 'pass' || kind === 'notApplicable' || baselineState === 'absent') return false;
  const given = suppressions ?? [];
  return given.length === 0 || given.some(({ status }) => status !== undefined && status !== 'accepted');
}

/** null: its files are outside of the repository. */
function toResultFinding(result: SarifResult, context: Context): ParsedFinding | null {
  const { kind } = context;
  const own = toPlaces(result.locations ?? [], context);
  const [place] = own.inside;
  if (place === undefined && own.isOutside) return null;
  const others = [...own.inside.slice(1), ...toPlaces(result.relatedLocations ?? [], context).inside];
  const rule = findRule(result, context);
  const native = toLevel(result, rule);
  return toFinding({
    kind,
    rule: (toRuleId(result) ?? rule?.id)?.slice(0, MAX_RULE_LENGTH),
    severity: toSeverity(native),
    native,
    message: toMessage(result, rule),
    ...place,
    otherPlaces: others.map(({ path, line = null }) => ({ path, line })),
  });
}

type Place = Pick<ToldFinding, 'line' | 'column' | 'endLine'> & { readonly path: string };

/** The places in files of the repository, and whether there are others. A location that names no file says nothing. */
function toPlaces(
  locations: readonly SarifLocation[],
  { run, roots }: Context,
): { readonly inside: readonly Place[]; readonly isOutside: boolean } {
  const places = locations.map(({ physicalLocation: at }) => ({
    region: at?.region,
    file: locateSarifArtifact(at?.artifactLocation, run, roots),
  }));
  return {
    inside: places.flatMap(({ file, region }) =>
      file.kind === 'inside' ? [{ path: file.path, ...toPosition(region) }] : [],
    ),
    isOutside: places.some(({ file }) => file.kind === 'outside'),
  };
}

/** A column needs a line. */
function toPosition({ startLine = 0, startColumn, endLine }: SarifRegion = {}): Omit<Place, 'path'> {
  return startLine < 1 ? {} : { line: startLine, column: startColumn, endLine };
}

/** The level of the result, else of its rule, else the standard's: `none` for a kind that is no failure, or `warning`. */
function toLevel(result: SarifResult, rule: SarifRule | null): string {
  if (result.level !== undefined) return result.level;
  if (NO_FAILURE.includes(result.kind ?? '')) return 'none';
  return rule?.defaultConfiguration?.level ?? 'warning';
}

/** Finds a rule by its index, else by its id, else by the id without its last part (`CA1000/1`). */
function findRule(result: SarifResult, { run, rules }: Context): SarifRule | null {
  const byIndex = findRuleByIndex(result, run);
  const id = toRuleId(result);
  if (byIndex !== null || id === null) return byIndex;
  return rules.get(id) ?? rules.get(id.replace(/\/[^/]*$/u, '')) ?? null;
}

function findRuleByIndex({ ruleIndex, rule }: SarifResult, { tool }: SarifRun): SarifRule | null {
  const extension = rule?.toolComponent?.index ?? -1;
  const component = extension < 0 ? tool.driver : tool.extensions?.[extension];
  return component?.rules?.[ruleIndex ?? rule?.index ?? -1] ?? null;
}

/** The rules of a run by id. The tool's own take precedence over those of its extensions. */
function toRulesById({ tool }: SarifRun): ReadonlyMap<string, SarifRule> {
  const rules = [tool.driver, ...(tool.extensions ?? [])].flatMap((component) => component.rules ?? []);
  return new Map(rules.toReversed().flatMap((rule) => (rule.id === undefined ? [] : [[rule.id, rule] as const])));
}

function toRuleId({ ruleId, rule }: SarifResult): string | null {
  return ruleId ?? rule?.id ?? null;
}

function toMessage({ message }: SarifResult, rule: SarifRule | null): string {
  const text = toText(message) ?? toTemplate(message, rule) ?? rule?.name ?? rule?.id ?? 'The tool gives no message.';
  return text.slice(0, MAX_MESSAGE_LENGTH);
}

function toText(message: SarifMessage | undefined): string | null {
  const text = message?.text ?? message?.markdown ?? '';
  return /\S/u.test(text) ? fill(text, message?.arguments ?? []) : null;
}

function toTemplate(message: SarifMessage | undefined, rule: SarifRule | null): string | null {
  const templates = rule?.messageStrings ?? {};
  const id = message?.id;
  if (id === undefined || !Object.hasOwn(templates, id)) return null;
  const text = templates[id]?.text;
  return text === undefined ? null : fill(text, message?.arguments ?? []);
}

/** `{0}` is the first argument; doubled braces are literal braces. Stops at the length at which a message is cut anyway. */
function fill(text: string, values: readonly string[]): string {
  if (values.length === 0) return text;
  let filled = '';
  let from = 0;
  for (const { 0: whole, 1: number, index } of text.matchAll(/\{\{|\}\}|\{(\d{1,3})\}/gu)) {
    const value = number === undefined ? whole.slice(1) : (values[Number(number)] ?? whole);
    filled += `${text.slice(from, index)}${value.slice(0, MAX_MESSAGE_LENGTH)}`;
    from = index + whole.length;
    if (filled.length > MAX_MESSAGE_LENGTH) return filled;
  }
  return `${filled}${text.slice(from)}`;
}
