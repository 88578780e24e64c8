import { z } from 'zod';
import { ENGINE_MODES, EXIT_CATEGORIES } from '../core/model/engine.ts';
import { FINDING_KINDS, SEVERITIES } from '../core/model/finding.ts';

const Engine = z.string().describe('Id of the engine.');
const Project = z
  .string()
  .describe('Folder of the project that the engine looks at, relative to the root; `.` is the root.');
const Mode = z.enum(ENGINE_MODES).describe('`current` takes the paths that were asked for, `target` never does.');
const Argv = z
  .array(z.string())
  .describe('Program and arguments, as executed; of the last command if there are several.');
const Cwd = z.string().describe('The folder that it runs in, relative to the root.');
const ExitCode = z
  .int()
  .nullable()
  .describe('As reported; null if there is none (a signal, a timeout, a missing tool).');

const Plan = z.strictObject({
  engine: Engine,
  project: Project,
  mode: Mode,
  targets: z.array(z.string()).describe('Canonical and relative to the root; empty if the plan does not run.'),
  configPath: z.string().nullable().describe('Configuration file; null: the tool finds its own.'),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  cwd: Cwd,
  profile: z.string().nullable(),
  enabled: z.boolean(),
  hash: z.string().describe('Of everything but the mode and `usesToolScope`. Plans with equal hashes run once.'),
  excludes: z.array(z.string()).describe('Folders below the targets that belong to other projects.'),
  usesToolScope: z
    .boolean()
    .describe(
      'Nobody set a scope, and the configuration of the tool has one. The command line then leaves the targets out.',
    ),
});

const Dedup = z.strictObject({
  engine: Engine,
  project: Project,
  ran: z.enum(['target', 'current', 'both', 'none']).describe('`target` also if both plans are equal.'),
});

const Run = z.strictObject({
  engine: Engine,
  project: Project,
  mode: Mode,
  version: z.string().nullable().describe('Of the tool.'),
  argv: Argv,
  cwd: Cwd,
  exitCode: ExitCode,
  returnCode: z.int().nullable().describe('The exit code, but 0 for the category `success`.'),
  category: z.enum(EXIT_CATEGORIES),
  complete: z.boolean().describe('It looked at everything that it was asked to.'),
  incompleteWhy: z.string().nullable().describe('Why it is not complete; null if it is.'),
  notes: z.array(z.string()).exactOptional().describe('What was left out of the findings, and why.'),
  durationMs: z.number(),
  findings: z.int().describe('How many; they are listed under the key `findings` of the report.'),
});

const EngineError = z
  .strictObject({
    engine: Engine,
    project: Project,
    mode: Mode,
    kind: z.enum([
      'TOOL_NOT_FOUND',
      'CRASHED',
      'TIMEOUT',
      'OUTPUT_LIMIT',
      'ABORTED',
      'NO_OUTPUT',
      'JSON_PARSE_FAILED',
      'TOOL_FAILURE_EXIT',
      'EXIT_WITHOUT_FINDINGS',
    ]),
    exitCode: ExitCode,
    argv: Argv,
    cwd: Cwd,
    stderr: z.string().describe('Its end.'),
    message: z.string(),
  })
  .describe('An engine that gave no reliable answer. It is no finding.');

const ConfigError = z.strictObject({ engine: Engine, code: z.string(), message: z.string() });
const Skipped = z.strictObject({
  engine: Engine,
  project: Project,
  why: z.enum(['no_applicable_files', 'dependencies_missing', 'disabled']),
});

const Considered = z
  .strictObject({
    engine: Engine,
    project: Project.nullable().describe('null: nothing shows that the engine is used.'),
    taken: z.boolean(),
    why: z.string().describe('What shows that it is a project, or why it is none.'),
  })
  .describe('A folder that was considered as a project of an engine.');

const Finding = z.strictObject({
  tool: z.string().describe('Id of the engine; `ratchet` for a place where a check was switched off.'),
  project: Project,
  kind: z.enum(FINDING_KINDS),
  rule: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  fingerprint: z.string().describe('Recognises the finding in another run.'),
  message: z.string(),
  path: z.string().nullable().describe('Relative to the root; null if it is in no file of the repository.'),
  line: z.int().nullable().describe('From 1.'),
  column: z.int().nullable().describe('From 1.'),
  testId: z.string().exactOptional().describe('Of a test: its name, which is the same in every run.'),
  otherPlaces: z
    .array(z.strictObject({ path: z.string(), line: z.int().nullable() }))
    .exactOptional()
    .describe('Further places of the same problem.'),
});

const Fingerprints = z.array(z.string()).describe('Fingerprints of findings.');
const EngineComparison = z.discriminatedUnion('comparable', [
  z.strictObject({
    engine: Engine,
    project: Project,
    comparable: z.literal(true),
    new: Fingerprints,
    fixed: Fingerprints,
    existing: Fingerprints,
    uncompared: Fingerprints.describe('They may or may not be new.'),
    removedTests: z.array(z.string()).describe('Failing tests of the base that are gone.'),
    skippedTests: z.array(z.string()).describe('Failing tests of the base that are skipped now.'),
  }),
  z.strictObject({ engine: Engine, project: Project, comparable: z.literal(false), why: z.string() }),
]);

const Comparison = z.strictObject({
  base: z.string().describe('Commit of the base.'),
  notes: z.array(z.string()).describe('What was not compared, or not as it is in the commit, and why.'),
  isChangeWhole: z.boolean().describe('false: the change was too large to look through, or `unlooked` has something.'),
  unlooked: z
    .array(z.string())
    .describe('Submodules that the change moves and that are not checked out: nothing looked at what that brings.'),
  changedConfigs: z.array(z.strictObject({ engine: Engine, paths: z.array(z.string()) })),
  engines: z.array(EngineComparison),
});

const Fix = z.strictObject({
  changed: z.array(z.string()).describe('Paths that are not what they were.'),
  fixers: z
    .array(
      z.strictObject({
        engine: Engine,
        project: Project,
        mode: Mode,
        argv: Argv,
        exitCode: ExitCode,
        files: z.int().describe('How many files it was given.'),
        before: z.int().nullable().describe('Findings of the engine before it ran; null: unknown.'),
        after: z.int().nullable().describe('The same in this report.'),
      }),
    )
    .describe('In the order in which they ran.'),
});

const PLANNED = {
  schemaVersion: z.literal(1),
  root: z.string().describe('Absolute path of the checkout.'),
  mode: z.enum([...ENGINE_MODES, 'both']),
  plans: z.array(Plan),
  dedup: z.array(Dedup),
  configErrors: z.array(ConfigError),
  skipped: z.array(Skipped),
  uncovered: z.array(z.string()).describe('Requested paths that no engine checks.'),
  submodules: z
    .array(z.strictObject({ path: z.string(), checkedOut: z.boolean() }))
    .describe('Folders that are repositories of their own. Nothing looks at one that is not checked out.'),
  lookedFor: z
    .array(z.string())
    .describe('Engines of which signs were looked for; empty if the policy or --engine names the engines.'),
  projects: z.array(Considered),
} as const;

/** `ratchet check --plan --json`. */
const CheckPlans = z
  .strictObject({
    ...PLANNED,
    fixes: z
      .array(z.strictObject({ engine: Engine, project: Project, mode: Mode, files: z.array(z.string()) }))
      .exactOptional()
      .describe('With --fix only: the fixers that would run, and on which files.'),
  })
  .describe('With --plan: what would run.');

const CheckReport = z
  .strictObject({
    ...PLANNED,
    runs: z.array(Run),
    engineErrors: z.array(EngineError),
    findings: z.array(Finding).describe('Each once, sorted by place.'),
    summary: z.strictObject({
      diagnostics: z.int().describe('Number of findings.'),
      hasDiagnostics: z.boolean(),
      hasFailures: z.boolean().describe('An engine gave no reliable answer.'),
    }),
    comparison: Comparison.exactOptional().describe('With --base only.'),
    fix: Fix.exactOptional().describe('With --fix only.'),
  })
  .describe('The report of a check.');

const CheckFailure = z
  .strictObject({
    schemaVersion: z.literal(1),
    error: z.strictObject({ exitCode: z.union([z.literal(2), z.literal(3)]), problems: z.array(z.string()) }),
  })
  .describe('Nothing was checked.');

/** Every document that `ratchet check --json` prints. Unknown keys are an error: the schema has to name each of them. */
export const CheckDocument = z.union([CheckReport, CheckPlans, CheckFailure]);

/** The JSON Schema of these documents, as docs/check.schema.json holds it. */
export function toCheckJsonSchemaText(): string {
  const schema = z.toJSONSchema(CheckDocument, { target: 'draft-7' });
  return `${JSON.stringify({ title: 'ratchet check --json', ...schema }, null, 2)}\n`;
}
