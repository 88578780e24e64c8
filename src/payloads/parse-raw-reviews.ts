import { z } from 'zod';
import type { EpochMs } from '../core/model/ids.ts';
import type { ReviewInput } from '../core/reviews/judge-reviews.ts';
import {
  type ActorNode,
  type CommentNode,
  toActor,
  toReview,
  toReviewThread,
} from '../core/reviews/to-review-facts.ts';
import { InvalidInputError, parseBySchema } from '../schemas/invalid-input.ts';

/** A value from GitHub that is only a hint. An unexpected value counts as missing. */
const Lenient = z.unknown();

const RawActor = z
  .object({ __typename: z.string().nullish(), login: z.string(), databaseId: z.int().nullish() })
  .nullish();
type RawActor = z.infer<typeof RawActor>;

const NO_ID = 'expected an id: at most 15 digits';
/** 64-bit ids are strings, older ones are numbers. */
const RawIds = {
  id: z.string().nullish(),
  fullDatabaseId: z.union([z.string().regex(/^\d{1,15}$/u, NO_ID), z.int(NO_ID)], NO_ID).nullish(),
  databaseId: z.int().nullish(),
};
type RawIds = Readonly<{
  id?: string | null | undefined;
  fullDatabaseId?: string | number | null | undefined;
  databaseId?: number | null | undefined;
}>;

const RawComment = z.object({
  ...RawIds,
  body: z.string().nullish(),
  createdAt: Lenient.optional(),
  updatedAt: Lenient.optional(),
  lastEditedAt: Lenient.optional(),
  isMinimized: z.boolean().nullish(),
  author: RawActor,
  pullRequestReview: z.object(RawIds).nullish(),
});
type RawComment = z.infer<typeof RawComment>;

const MAX_NODES = 10_000;

/** A connection with nodes or edges, or a plain list of nodes. Drops null nodes, which the token may not see. */
function nodesOf<Node extends z.ZodType>(node: Node) {
  const list = z.array(node.nullable()).max(MAX_NODES);
  return Lenient.default([])
    .transform(toList)
    .pipe(list)
    .transform((nodes) => nodes.filter((one) => one !== null));
}

function toList(value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value ?? [];
  if ('nodes' in value) return value.nodes ?? [];
  if (!('edges' in value)) return [];
  return Array.isArray(value.edges) ? value.edges.map(toNodeOfEdge) : (value.edges ?? []);
}

function toNodeOfEdge(edge: unknown): unknown {
  return isObject(edge) && 'node' in edge ? edge.node : edge;
}

const RawThread = z.object({
  id: z.string().min(1),
  path: z.string().nullish(),
  line: z.int().nullish(),
  isResolved: z.boolean().nullish(),
  isOutdated: z.boolean().nullish(),
  opening: nodesOf(RawComment),
  comments: nodesOf(RawComment),
});
type RawThread = z.infer<typeof RawThread>;

const RawReview = z.object({
  ...RawIds,
  state: z.string().nullish(),
  body: z.string().nullish(),
  submittedAt: Lenient.optional(),
  author: RawActor,
});
type RawReview = z.infer<typeof RawReview>;

const DEFAULT_SLUG = 'ratchet';
const Globs = z.array(z.string().min(1)).max(1000);

/** Our own fields beside GitHub's answer. */
const Frame = z.object({
  appSlug: z.string().min(1).nullable().default(DEFAULT_SLUG),
  policy: z
    .strictObject({ allowBots: Globs.default([]), ignore: Globs.default([]) })
    .default({ allowBots: [], ignore: [] }),
  writers: z.array(z.string()).max(MAX_NODES).nullable().default(null),
});

const PullRequest = z.object({
  author: RawActor,
  reviews: nodesOf(RawReview),
  reviewThreads: nodesOf(RawThread),
});

/** The input of the verdict, and GitHub's id of each review. */
export interface ExplainReviewsInput {
  readonly input: ReviewInput;
  /** Node ids by our ids (`review:<n>`). */
  readonly reviewIds: ReadonlyMap<string, string>;
}

/**
 * The input of the review verdict, from a GraphQL answer. Missing fields are filled in, then the server's own mapper is
 * used.
 * @throws InvalidInputError that lists each problem with its place.
 */
export function parseExplainReviewsInput(json: unknown): ExplainReviewsInput {
  const { appSlug, policy, writers } = parseBySchema(Frame, json);
  const found = findPullRequest(json);
  if (!('reviews' in found) && !('reviewThreads' in found)) {
    throw new InvalidInputError(['the input: expected reviews or reviewThreads']);
  }
  const { author, reviews, reviewThreads } = parseBySchema(PullRequest, found);
  const toNode = createActorNodes([
    author,
    ...reviews.map((review) => review.author),
    ...reviewThreads.flatMap((thread) => toComments(thread).map((comment) => comment.author)),
  ]);
  const mapped = reviews.map((review, index) => toReview(toReviewNode(review, toNumber(review) ?? index + 1, toNode)));
  const known = reviews.flatMap(({ id }, index) =>
    typeof id === 'string' ? [{ id, number: mapped[index]?.id ?? 0 }] : [],
  );
  const numberOf = (review: RawIds): number | null =>
    toNumber(review) ?? known.find(({ id }) => id === review.id)?.number ?? null;
  return {
    input: {
      author: toActor(toNode(author)),
      ownSlug: appSlug,
      policy,
      given: [],
      mustResolveThreads: false,
      unread: new Set(),
      writers: writers === null ? null : new Set(writers.flatMap((login) => toActor(toNode({ login }))?.id ?? [])),
      reviews: mapped,
      threads: reviewThreads.map((thread) =>
        toReviewThread({
          id: thread.id,
          path: thread.path ?? '',
          line: thread.line ?? null,
          isResolved: thread.isResolved ?? false,
          isOutdated: thread.isOutdated ?? false,
          comments: toCommentNodes(toComments(thread), toNode, numberOf),
        }),
      ),
    },
    reviewIds: new Map(known.map(({ id, number }) => [`review:${number}`, id])),
  };
}

/** Accepts the whole answer of a query or only its pull request. */
function findPullRequest(json: unknown): object {
  const inside = [['data', 'repository', 'pullRequest'], ['repository', 'pullRequest'], ['pullRequest']];
  for (const path of inside) {
    const found = path.reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), json);
    if (isObject(found)) return found;
  }
  return isObject(json) ? json : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

type ToNode = (actor: RawActor) => ActorNode;

/** Gives accounts without an id a negative one per login, so that they can be told apart. */
function createActorNodes(actors: readonly RawActor[]): ToNode {
  const known = new Map<string, number>();
  for (const actor of actors) {
    if (typeof actor?.databaseId === 'number') known.set(actor.login.toLowerCase(), actor.databaseId);
  }
  return (actor) => {
    if (actor === null || actor === undefined) return null;
    const login = actor.login.toLowerCase();
    const databaseId = known.get(login) ?? -1 - known.size;
    known.set(login, databaseId);
    const __typename = login.endsWith('[bot]') ? 'Bot' : (actor.__typename ?? 'User');
    return { __typename, login: actor.login, databaseId };
  };
}

function toReviewNode(review: RawReview, fullDatabaseId: number, toNode: ToNode): Parameters<typeof toReview>[0] {
  return {
    fullDatabaseId,
    state: review.state ?? '',
    body: review.body ?? '',
    submittedAt: toInstant(review.submittedAt),
    commit: null,
    author: toNode(review.author),
  };
}

/** A long thread is queried by its first comment and its last ones. */
function toComments({ opening, comments }: RawThread): readonly RawComment[] {
  const isThere = (one: RawComment): boolean => comments.some((other) => isSame(one, other));
  return [...opening.filter((one) => !isThere(one)), ...comments];
}

function isSame(a: RawComment, b: RawComment): boolean {
  const [aId, bId] = [toNumber(a) ?? a.id ?? null, toNumber(b) ?? b.id ?? null];
  return aId !== null && aId === bId;
}

/** Sorted by creation time. A comment without one takes that of the comment before it. */
function toCommentNodes(
  comments: readonly RawComment[],
  toNode: ToNode,
  numberOf: (review: RawIds) => number | null,
): readonly CommentNode[] {
  let createdAt: EpochMs = 0;
  const nodes = comments.map((comment, index): CommentNode => {
    createdAt = toInstant(comment.createdAt) ?? createdAt;
    const edited = comment.lastEditedAt === undefined ? comment.updatedAt : comment.lastEditedAt;
    const review = comment.pullRequestReview ?? null;
    return {
      fullDatabaseId: toNumber(comment) ?? index + 1,
      body: comment.body ?? '',
      createdAt,
      lastEditedAt: toInstant(edited),
      isMinimized: comment.isMinimized,
      author: toNode(comment.author),
      pullRequestReview: review === null ? null : { fullDatabaseId: numberOf(review) },
    };
  });
  return nodes.toSorted((a, b) => a.createdAt - b.createdAt);
}

function toNumber({ fullDatabaseId, databaseId }: RawIds): number | null {
  const id = fullDatabaseId ?? databaseId ?? null;
  return id === null ? null : Number(id);
}

function toInstant(raw: unknown): EpochMs | null {
  const at = typeof raw === 'string' ? Date.parse(raw) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
