import type { Sha } from '../../../src/core/model/ids.ts';
import type {
  DependencyKey,
  SiteCommand,
  SiteOutcome,
  SiteProbe,
  SiteRelay,
  SiteRequest,
} from '../../../src/ports/site.ts';

/** A relay whose service is reached at a port of TCP. */
export interface RemoteRelay extends Pick<SiteRelay, 'name' | 'port'> {
  readonly tcpPort: number;
}

/** A request whose tree is content: a bundle of git with one commit that has it. Relays are led there by TCP. */
export interface RemoteRequest extends Omit<SiteRequest, 'tree' | 'relays'> {
  readonly relays: readonly RemoteRelay[];
  readonly tree: {
    readonly bundle: Uint8Array;
    readonly commit: Sha;
    readonly masked: readonly string[];
    readonly hasHistory: boolean;
  } | null;
}

/** An outcome with all of its output. */
export interface RemoteOutcome extends Omit<SiteOutcome, 'read'> {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Dependencies by what they are known by. */
export interface RemoteDependencies {
  readonly key: DependencyKey;
  readonly paths: readonly string[];
}

/** What the control plane may ask the process for that has the sites. Sites are known by an id. */
export interface RemoteCalls {
  readonly probe: () => Promise<SiteProbe>;
  readonly sweep: () => Promise<void>;
  readonly open: (request: RemoteRequest) => Promise<string>;
  /** Its stdout is sent as it is printed, before the reply. */
  readonly run: (site: string, command: Omit<SiteCommand, 'onStdout'>) => Promise<RemoteOutcome>;
  /** The tree that was left, as a bundle with the reference `refs/heads/left`. */
  readonly takeTree: (site: string, exclude: readonly string[]) => Promise<Uint8Array>;
  readonly readFile: (site: string, path: string, maxBytes: number) => Promise<Uint8Array | null>;
  readonly has: (site: string, path: string) => Promise<boolean>;
  readonly keepDependencies: (
    site: string,
    key: DependencyKey,
    tracked: readonly string[],
  ) => Promise<RemoteDependencies>;
  readonly close: (site: string) => Promise<void>;
  readonly findDependencies: (key: DependencyKey) => Promise<RemoteDependencies | null>;
  readonly hasPrepared: (key: DependencyKey, path: string) => Promise<boolean>;
  readonly readPrepared: (key: DependencyKey, path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Names that lie where sites have their folders. */
  readonly listLeft: () => Promise<readonly string[]>;
}

/** A call, or the end of the signal of one. */
export type Ask =
  | { readonly id: number; readonly call: keyof RemoteCalls; readonly args: readonly unknown[] }
  | { readonly id: number; readonly call: 'abort' };

/** The answer to a call, or a part of the output of a command that is running. */
export type Reply =
  | { readonly id: number; readonly kind: 'stdout'; readonly chunk: Uint8Array }
  | { readonly id: number; readonly kind: 'value'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'error'; readonly code: string | null; readonly message: string };

/** What a call is answered with. */
export type Result<Name extends keyof RemoteCalls> = Awaited<ReturnType<RemoteCalls[Name]>>;

/** Both ends of the socket are ours: what comes is looked at no closer than this. */
export function isAsk(message: unknown): message is Ask {
  return isNumbered(message) && 'call' in message;
}

export function isReply(message: unknown): message is Reply {
  return isNumbered(message) && 'kind' in message;
}

export function isCall(value: unknown): value is (...args: readonly unknown[]) => Promise<unknown> {
  return typeof value === 'function';
}

export function isResult<Name extends keyof RemoteCalls>(name: Name, value: unknown): value is Result<Name> {
  return name !== 'open' || typeof value === 'string';
}

function isNumbered(message: unknown): message is { readonly id: number } {
  return typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number';
}
