import { z } from 'zod';
import { parseSha } from '../core/model/ids.ts';

/**
 * The used fields of the answers to `pull-request-query.ts`. Enums stay strings: the mapping turns a value that GitHub
 * adds into `unknown`, which never leads to an action.
 */

const Sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .transform(parseSha);

const Instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** 64-bit ids are strings. */
const BigId = z
  .union([z.string().regex(/^\d{1,16}$/), z.number()])
  .transform(Number)
  .refine(Number.isSafeInteger);

/** null: the account was deleted. */
const Actor = z
  .object({ __typename: z.string(), login: z.string(), databaseId: z.number().int().nullable().optional() })
  .nullable();

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });

/** GraphQL's `Int` has 32 bits, and ids of checks and runs are larger: it may be null, or a value that is no id. */
const SmallId = z.number().int().nullable();

const Workflow = z.object({ id: z.string().min(1), databaseId: z.number().int().nullable() });

const WorkflowRun = z.object({ url: z.string(), event: z.string(), runNumber: z.number().int(), workflow: Workflow });
export type WorkflowRunNode = z.infer<typeof WorkflowRun>;

const CheckRun = z.object({
  __typename: z.literal('CheckRun'),
  id: z.string().min(1),
  databaseId: SmallId,
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  startedAt: Instant.nullable(),
  completedAt: Instant.nullable(),
  detailsUrl: z.string().nullable(),
  checkSuite: z.object({
    id: z.string().min(1),
    app: z.object({ databaseId: z.number().int().nullable(), slug: z.string() }).nullable(),
    workflowRun: WorkflowRun.nullable(),
  }),
});

const StatusContext = z.object({
  __typename: z.literal('StatusContext'),
  id: z.string().min(1),
  context: z.string(),
  state: z.string(),
  targetUrl: z.string().nullable(),
  createdAt: Instant,
});

const Context = z.discriminatedUnion('__typename', [CheckRun, StatusContext]);
export type ContextNode = z.infer<typeof Context>;

const Contexts = z.object({
  totalCount: z.number().int(),
  pageInfo: PageInfo,
  nodes: z.array(Context),
});
export type ContextPage = z.infer<typeof Contexts>;

const Rollup = z.object({ contexts: Contexts }).nullable();

/** Only suites of workflow runs are used. */
const CheckSuite = z.object({
  id: z.string().min(1),
  databaseId: SmallId,
  status: z.string(),
  conclusion: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  app: z.object({ databaseId: z.number().int().nullable(), slug: z.string() }).nullable(),
  workflowRun: WorkflowRun.extend({ workflow: Workflow.extend({ name: z.string() }) }).nullable(),
  checkRuns: z.object({ totalCount: z.number().int() }).nullable(),
});

const CheckSuites = z.object({ totalCount: z.number().int(), pageInfo: PageInfo, nodes: z.array(CheckSuite) });
export type SuitePage = z.infer<typeof CheckSuites>;
export type SuiteNode = SuitePage['nodes'][number];

const PolicyFile = z
  .object({
    object: z
      .object({
        __typename: z.string(),
        text: z.string().nullable().optional(),
        isBinary: z.boolean().nullable().optional(),
        isTruncated: z.boolean().optional(),
      })
      .nullable(),
  })
  .nullable();

const OtherFile = z.object({ path: z.string().nullish() }).nullish();

/** A commit with its policy file, and with files of similar names. Another git object has no file. */
const PolicyCommit = z.object({
  policyFile: PolicyFile.optional(),
  policyFileYaml: PolicyFile.optional(),
  policyFolder: z
    .object({ object: z.object({ entries: z.array(z.object({ name: z.string() })).nullish() }).nullable() })
    .nullish(),
  misplaced0: OtherFile,
  misplaced1: OtherFile,
  misplaced2: OtherFile,
  misplaced3: OtherFile,
});
export type PolicyCommitNode = z.infer<typeof PolicyCommit>;

const HeadCommit = PolicyCommit.extend({
  oid: Sha,
  parents: z.object({ nodes: z.array(z.object({ oid: Sha })) }),
  file: z
    .object({ object: z.object({ entries: z.array(z.object({ name: z.string() })).optional() }).nullable() })
    .nullable(),
  statusCheckRollup: Rollup,
  checkSuites: CheckSuites.nullable(),
});
export type HeadCommitNode = z.infer<typeof HeadCommit>;

/** Comments of bots may lack the time of the last edit (trap 93). */
const Comment = z.object({
  fullDatabaseId: BigId,
  body: z.string(),
  createdAt: Instant,
  lastEditedAt: Instant.nullish(),
  isMinimized: z.boolean().nullish(),
  author: Actor,
  pullRequestReview: z.object({ fullDatabaseId: BigId.nullable() }).nullish(),
});
export type CommentNode = z.infer<typeof Comment>;

const Threads = z.object({
  totalCount: z.number().int(),
  pageInfo: PageInfo,
  nodes: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      line: z.number().int().nullable(),
      isResolved: z.boolean(),
      isOutdated: z.boolean(),
      opening: z.object({ nodes: z.array(Comment) }),
      comments: z.object({ totalCount: z.number().int(), nodes: z.array(Comment) }),
    }),
  ),
});
export type ThreadPage = z.infer<typeof Threads>;
export type ThreadNode = ThreadPage['nodes'][number];

const Review = z.object({
  fullDatabaseId: BigId,
  state: z.string(),
  body: z.string(),
  submittedAt: Instant.nullable(),
  commit: z.object({ oid: Sha }).nullable(),
  author: Actor,
});

/** Read from the newest page back. */
const Reviews = z.object({
  pageInfo: z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullable() }),
  nodes: z.array(Review),
});
export type ReviewPage = z.infer<typeof Reviews>;
export type ReviewNode = ReviewPage['nodes'][number];

const BaseCommit = PolicyCommit.extend({
  oid: Sha,
  statusCheckRollup: z.object({ contexts: z.object({ totalCount: z.number().int() }) }).nullish(),
});

const Rule = z.object({
  type: z.string(),
  parameters: z
    .object({
      requiredApprovingReviewCount: z.number().optional(),
      dismissStaleReviewsOnPush: z.boolean().optional(),
      requireLastPushApproval: z.boolean().optional(),
      requiredReviewThreadResolution: z.boolean().optional(),
      strictRequiredStatusChecksPolicy: z.boolean().optional(),
      operator: z.string().optional(),
      pattern: z.string().optional(),
      negate: z.boolean().optional(),
      requiredStatusChecks: z.array(z.object({ context: z.string() })).optional(),
    })
    .nullable(),
});
export type RuleNode = z.infer<typeof Rule>;

/** Rules of a branch: classic protection in `refUpdateRule`, rulesets in `rules`. */
const RuledRef = z.object({
  refUpdateRule: z
    .object({
      viewerCanPush: z.boolean(),
      requiresSignatures: z.boolean(),
      requiresLinearHistory: z.boolean(),
      requiresConversationResolution: z.boolean(),
      requiredApprovingReviewCount: z.number().nullable(),
      requiredStatusCheckContexts: z.array(z.string().nullable()).nullable(),
    })
    .nullable(),
  rules: z.object({ totalCount: z.number().int(), nodes: z.array(Rule) }).nullable(),
});
export type RuledRefNode = z.infer<typeof RuledRef>;

const PullRequest = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  state: z.string(),
  isDraft: z.boolean(),
  isCrossRepository: z.boolean(),
  isInMergeQueue: z.boolean(),
  mergeable: z.string(),
  mergeStateStatus: z.string(),
  headRefOid: Sha,
  headRefName: z.string(),
  baseRefOid: Sha,
  baseRefName: z.string(),
  autoMergeRequest: z.object({}).nullable(),
  timelineItems: z.object({
    nodes: z.array(z.object({ __typename: z.string(), reason: z.string().nullish() }).nullable()).nullable(),
  }),
  author: Actor,
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }).nullable(),
  commits: z.object({ nodes: z.array(z.object({ commit: HeadCommit })) }),
  headRef: RuledRef.extend({
    associatedPullRequests: z.object({
      nodes: z.array(z.object({ number: z.number().int().positive(), isCrossRepository: z.boolean() })),
    }),
  }).nullable(),
  baseRef: RuledRef.extend({ target: BaseCommit.nullable() }).nullable(),
  reviewThreads: Threads,
  reviewDecision: z.string().nullable(),
  reviews: Reviews,
});
export type PullRequestNode = z.infer<typeof PullRequest>;

const Named = z.object({ name: z.string(), owner: z.object({ login: z.string() }) });

const Organization = Named.extend({
  defaultBranchRef: z.object({ target: PolicyCommit.nullable() }).nullable(),
})
  .nullable()
  .default(null);

export type OrganizationNode = NonNullable<z.infer<typeof Organization>>;
export type NamedNode = z.infer<typeof Named>;

/** Response to `organizationQuery`. */
export const OrganizationResponse = z.object({ organization: Organization });

/** Response to `pullRequestQuery`. */
export const PullRequestResponse = z.object({
  repository: Named.extend({ pullRequest: PullRequest.nullable() }).nullable(),
  organization: Organization,
});

/** Response to `toPullRequestsQuery`, the repository with one field for each pull request. */
export const PullRequestsResponse = z.object({
  repository: z.looseObject(Named.shape).nullable(),
  organization: Organization,
});

/** One pull request of `toPullRequestsQuery`. */
export const OnePullRequest = PullRequest.nullable();

const Position = z.object({ line: z.number().int() });
const Annotation = z.object({
  path: z.string(),
  location: z.object({ start: Position, end: Position }),
  annotationLevel: z.string().nullable(),
  message: z.string(),
});
export type AnnotationNode = z.infer<typeof Annotation>;

/** Response to `annotationsQuery`. */
export const AnnotationsResponse = z.object({
  nodes: z.array(
    z.object({ id: z.string(), annotations: z.object({ nodes: z.array(Annotation) }).nullable() }).nullable(),
  ),
});

/** Response to `pushRightQuery`. */
export const PushRightResponse = z.object({
  repository: z
    .object({
      ref: z.object({ refUpdateRule: z.object({ viewerCanPush: z.boolean() }).nullable() }).nullable(),
    })
    .nullable(),
});

const ConfigCommit = PolicyCommit.extend({ oid: Sha });
export type ConfigCommitNode = z.infer<typeof ConfigCommit>;

/** Response to `configFilesQuery`. */
export const ConfigFilesResponse = z.object({
  repository: Named.extend({
    pullRequest: z
      .object({
        headRefOid: Sha,
        commits: z.object({ nodes: z.array(z.object({ commit: ConfigCommit })) }),
        baseRef: z.object({ target: PolicyCommit.nullable() }).nullable(),
      })
      .nullable(),
  }).nullable(),
  organization: Organization,
});

/** Response to `commitConfigQuery`. */
export const CommitConfigResponse = z.object({
  repository: z.object({ object: ConfigCommit.nullable() }).nullable(),
});

/** Response to `headCommitQuery`; null if there is no such commit. */
export const HeadCommitResponse = z.object({ repository: z.object({ object: HeadCommit.nullable() }).nullable() });

/** Response to `contextsQuery`. */
export const ContextsResponse = z.object({
  repository: z.object({ object: z.object({ statusCheckRollup: Rollup }).nullable() }).nullable(),
});

/** Response to `suitesQuery`. */
export const SuitesResponse = z.object({
  repository: z.object({ object: z.object({ checkSuites: CheckSuites.nullable() }).nullable() }).nullable(),
});

/** Response to `threadsQuery`. */
export const ThreadsResponse = z.object({
  repository: z.object({ pullRequest: z.object({ reviewThreads: Threads }).nullable() }).nullable(),
});

/** Response to `reviewsQuery`. */
export const ReviewsResponse = z.object({
  repository: z.object({ pullRequest: z.object({ reviews: Reviews }).nullable() }).nullable(),
});

/** Response to `submitReviewMutation`. */
export const SubmittedReviewResponse = z.object({
  submitPullRequestReview: z.object({
    pullRequestReview: z.object({ pullRequest: z.object({ reviewThreads: Threads }) }),
  }),
});
