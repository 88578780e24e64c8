import { z } from 'zod';
import {
  describeIgnoredRequired,
  describeOwnRequired,
  findIgnoredRequired,
  findOwnRequired,
} from '../core/ci/ignored-required.ts';
import { LABEL_PREFIX } from '../core/commands/labels.ts';
import { DEFAULT_POLICY } from '../core/model/default-policy.ts';
import { MAX_NAME_GLOB_LENGTH } from '../core/paths/check-name-glob.ts';
import { EnginesSetting, MAX_ENGINE_SECONDS } from './engines-schema.ts';
import { PathGlob } from './path-glob.ts';

const MAX_ENTRIES = 100;
const MAX_CHECK_NAME_LENGTH = 256;
/** GitHub's own limit. */
const MAX_LABEL_LENGTH = 50;

/** Bounds of the settings that an operator may also set a ceiling for. */
export const limits = {
  maxAttempts: z.int().min(0).max(20),
  maxLaunchesPerDay: z.int().min(0).max(200),
  /** Down to three seconds: for a repository whose tests take no longer, and for trying things out. */
  minutes: z.number().min(0.05).max(360),
  engineSeconds: z.int().min(1).max(MAX_ENGINE_SECONDS),
  maxFiles: z.int().min(1).max(10_000),
  maxLines: z.int().min(1).max(1_000_000),
  maxBytes: z.int().min(1).max(10_485_760),
  mode: z.enum(['observe', 'suggest', 'push']),
} as const;

const seconds = z.int().min(0).max(86_400);
const globs = (maxLength: number) => z.array(z.string().min(1).max(maxLength)).max(MAX_ENTRIES);
const command = z.string().trim().min(1).max(4096);
const commands = (minCount: number) =>
  z
    .union(
      [command, z.array(command).min(minCount).max(MAX_ENTRIES)],
      'expected a command, or a list of commands, as text',
    )
    .transform((given) => (typeof given === 'string' ? [given] : given));
const logins = globs(MAX_NAME_GLOB_LENGTH);
const label = z.string().trim().min(1).max(MAX_LABEL_LENGTH).nullable();
/** Of every label that is added somewhere, only those with this beginning are looked at a second time. */
const ownLabel = z
  .string()
  .trim()
  .max(MAX_LABEL_LENGTH)
  .regex(/^ratchet/i, `must begin with "${LABEL_PREFIX}"`)
  .nullable();

/** A key that may be left out: what it means, and what holds where no layer sets it. */
function key<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  builtIn: unknown,
): z.ZodExactOptional<Schema> {
  return schema.meta({ description, default: builtIn }).exactOptional();
}

/** Some keys that belong together, all of which may be left out; `refuse` names what is wrong with them together. */
function section<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  refuse: (given: z.output<z.ZodObject<Shape, z.core.$strict>>, context: z.RefinementCtx) => void = refuseNothing,
): z.ZodExactOptional<z.ZodObject<Shape, z.core.$strict>> {
  return z.strictObject(shape).superRefine(refuse).meta({ description }).exactOptional();
}

function refuseNothing(): void {
  // Its keys say all by themselves.
}

/** Of one file; files that contradict each other are found where they are put together. */
function refuseFutileRequired(names: Parameters<typeof findIgnoredRequired>[0], context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['required'], message });
  const ignored = findIgnoredRequired(names);
  const own = findOwnRequired(names);
  if (ignored.length > 0) refuse(describeIgnoredRequired(ignored));
  if (own.length > 0) refuse(describeOwnRequired(own));
}

const builtIn = DEFAULT_POLICY;

/** Every setting of a policy, all of them optional; an unknown key is an error at any depth. */
export const policySettings = {
  mode: key(
    limits.mode,
    'What Ratchet does with what it decides: only tell, offer a patch on the check run, or push.',
    builtIn.mode,
  ),
  maxAttempts: key(limits.maxAttempts, 'Pushing fixups, each counted, before a person is asked.', builtIn.maxAttempts),
  maxLaunchesPerDay: key(
    limits.maxLaunchesPerDay,
    'Fixups launched within 24 hours, pushed or not, before a person is asked.',
    builtIn.maxLaunchesPerDay,
  ),
  ci: section(
    'What counts as the verdict of CI, and what is done about red.',
    {
      settleSeconds: key(
        seconds,
        'A head younger than this is not called green, and its silence means nothing.',
        builtIn.ci.settleSeconds,
      ),
      staleTimeoutSeconds: key(
        seconds,
        'After a push of Ratchet: how long CI may take to start.',
        builtIn.ci.staleTimeoutSeconds,
      ),
      timeoutSeconds: key(
        z.int().min(60).max(604_800),
        'How long CI may run before a person is asked.',
        builtIn.ci.timeoutSeconds,
      ),
      required: key(
        z.array(z.string().min(1).max(MAX_CHECK_NAME_LENGTH)).min(1).max(MAX_ENTRIES).nullable(),
        'Names of the checks that alone count; null: all of them.',
        builtIn.ci.required,
      ),
      ignore: key(
        globs(MAX_NAME_GLOB_LENGTH),
        'Names of checks that never count; `*`, `?` and `{a,b}` are special.',
        builtIn.ci.ignore,
      ),
      rerunFlaky: key(
        z.boolean(),
        'Run failed jobs again, once, where they look flaky or the infrastructure failed, before an agent is launched.',
        builtIn.ci.rerunFlaky,
      ),
      fixRedOnBase: key(
        z.boolean(),
        'Launch an agent also where every red job is red on the merge base too.',
        builtIn.ci.fixRedOnBase,
      ),
      stopOnSameFailure: key(
        z.boolean(),
        'Ask a person when a fixup was pushed and CI then failed in exactly the same way.',
        builtIn.ci.stopOnSameFailure,
      ),
    },
    refuseFutileRequired,
  ),
  merge: section('What is done about the base branch.', {
    resolveConflicts: key(z.boolean(), 'Resolve conflicts with the base branch.', builtIn.merge.resolveConflicts),
    updateBranch: key(
      z.boolean(),
      "Merge the base branch into a head that the base's rules demand to be up to date.",
      builtIn.merge.updateBranch,
    ),
    regenerate: key(
      z
        .array(
          z.strictObject({
            path: PathGlob.meta({ description: "Glob of the file's path." }),
            command: command.meta({ description: "Shell command, run in the file's folder, without network." }),
          }),
        )
        .max(MAX_ENTRIES),
      'Files that a command makes anew, so that a conflict in them needs no agent. The first entry whose path matches counts; there are no built-in ones.',
      builtIn.merge.regenerate,
    ),
  }),
  reviews: section('What is done about review comments.', {
    fix: key(z.boolean(), 'Work on review comments.', builtIn.reviews.fix),
    quietSeconds: key(
      seconds,
      'How old the newest comment must be before a fixup starts, so that a burst of comments is one fixup.',
      builtIn.reviews.quietSeconds,
    ),
    allowBots: key(
      logins,
      'Logins (globs) of bots whose threads and reviews count, with or without `[bot]`.',
      builtIn.reviews.allowBots,
    ),
    ignore: key(
      logins,
      'Logins (globs) of people and bots whose threads and reviews never count; one that ends in `[bot]` is of bots alone.',
      builtIn.reviews.ignore,
    ),
    resolveThreads: key(z.boolean(), 'Resolve a thread that was fixed and pushed.', builtIn.reviews.resolveThreads),
  }),
  drafts: key(z.enum(['work', 'hold']), 'Whether a draft is worked on.', builtIn.drafts),
  autoMerge: key(
    z.enum(['hold', 'disarm']),
    'Where auto-merge could merge a push that nobody reviewed: hold for a person, or turn auto-merge off first.',
    builtIn.autoMerge,
  ),
  labels: section('Labels that people steer Ratchet with.', {
    enable: key(
      ownLabel,
      'Label that enables Ratchet when somebody with write permission adds it; begins with "ratchet"; null: none.',
      builtIn.labels.enable,
    ),
    hold: key(label, 'Label that holds Ratchet while it is there; null: none.', builtIn.labels.hold),
  }),
  comment: key(
    z.enum(['on-action', 'never']),
    'One comment, edited in place, where a person must act.',
    builtIn.comment,
  ),
  setup: key(
    commands(0),
    'Shell commands that prepare dependencies, in a phase of their own, without network.',
    builtIn.setup,
  ),
  validate: key(
    commands(1).nullable(),
    "Shell commands that must exit 0 before anything is pushed; null: the repository's own test command is looked for.",
    builtIn.validate,
  ),
  sessionTimeoutMinutes: key(limits.minutes, 'How long the agent may work.', builtIn.sessionTimeoutMinutes),
  validateTimeoutMinutes: key(
    limits.minutes,
    'How long all validation commands may take together.',
    builtIn.validateTimeoutMinutes,
  ),
  changes: section('What one fixup may change.', {
    allowedPaths: key(
      z.array(PathGlob).min(1).max(MAX_ENTRIES).nullable(),
      'Globs that the agent may change; null: every tracked path but the protected ones.',
      builtIn.changes.allowedPaths,
    ),
    protectedPaths: key(
      z.array(PathGlob).max(MAX_ENTRIES),
      'Globs that the agent may not change, beside the built-in ones and those of the layers below.',
      builtIn.changes.protectedPaths,
    ),
    maxFiles: key(limits.maxFiles, 'Most files.', builtIn.changes.maxFiles),
    maxLines: key(limits.maxLines, 'Most inserted and deleted lines together.', builtIn.changes.maxLines),
    maxBytes: key(limits.maxBytes, 'Most bytes of new content.', builtIn.changes.maxBytes),
  }),
  engines: key(
    EnginesSetting,
    'Linters, type checkers and tests that Ratchet runs itself, told by the check run "Ratchet / quality": auto, or by name; null: none.',
    builtIn.engines,
  ),
} as const;

/** `.github/ratchet.yml`. */
export const PolicyFile = z.strictObject({
  version: key(z.literal(1), 'Version of this format.', 1),
  ...policySettings,
});

/** What the operator's file says under `defaults`. */
export const PolicyDefaults = z.strictObject(policySettings);
