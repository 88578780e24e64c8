import { connect } from 'node:net';

/** What the attack program knows: more than any agent does. */
export interface Config {
  readonly dialect: 'anthropic' | 'openai' | 'gemini';
  readonly model: string;
  /** Ports of 127.0.0.1 that lead to the gateway and to the registry proxy. */
  readonly modelPort: number;
  readonly registryPort: number;
  readonly token: string;
  /** The socket of another session, as the machine names it, and its token. */
  readonly otherSocket: string;
  readonly otherToken: string;
  /** A server of the machine on 127.0.0.1 and ::1 that nobody may reach. */
  readonly forbiddenPort: number;
  readonly forbiddenUdpPort: number;
  /** The same server on a socket of the file system, and on an abstract one. */
  readonly forbiddenSocket: string;
  readonly forbiddenAbstract: string;
  /** The port that the registry proxy connects to in place of 443. */
  readonly tunnelPort: number;
  /** Without walls: nothing is tried that would change the machine, or leave it. */
  readonly hasNoWalls: boolean;
}

/** Where to connect: a port of 127.0.0.1, a host, or the path of a socket. */
export type Target = number | { readonly host: string; readonly port: number } | { readonly path: string };

/** One attempt. `mark` stands in what must not get out, and nowhere else. Returns everything that came back. */
export interface Attempt {
  readonly group: 'model' | 'registry' | 'tunnel' | 'machine';
  readonly name: string;
  /** Not tried where there are no walls. */
  readonly needsWalls?: boolean;
  readonly run: (mark: string) => Promise<string>;
}

/** Longest wait for more of an answer. */
const SILENCE_MS = 300;
const FIRST_BYTE_MS = 1500;
const MAX_MS = 3000;
const PATIENT_MS = 20_000;
const MAX_SEEN = 4000;

/** Writes `parts` one after the other and returns what came back until the peer ends or falls silent. */
export function exchange(target: Target, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return converse(target, parts, { firstByteMs: FIRST_BYTE_MS, maxMs: MAX_MS });
}

/** The same for what has to work, on a busy machine too. */
export function exchangePatiently(target: Target, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return converse(target, parts, { firstByteMs: PATIENT_MS, maxMs: PATIENT_MS });
}

function converse(
  target: Target,
  parts: readonly (string | Buffer)[],
  { firstByteMs, maxMs }: { readonly firstByteMs: number; readonly maxMs: number },
): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = connect(typeof target === 'number' ? { host: '127.0.0.1', port: target } : target);
    const end = (why = ''): void => {
      socket.destroy();
      clearTimeout(limit);
      resolve(`${seen.slice(0, MAX_SEEN)}${why}`);
    };
    const limit = setTimeout(end, maxMs);
    socket.setTimeout(firstByteMs, end);
    socket.on('error', ({ message }) => end(`[${message}]`));
    socket.on('close', () => end());
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      socket.setTimeout(SILENCE_MS);
    });
    socket.on('connect', () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
  });
}

/** A request as bytes. A header that is given twice stands twice. */
export function toRequest(
  line: string,
  headers: readonly (readonly [string, string])[],
  body: string | null = null,
): string {
  const length = body === null ? [] : [['content-length', String(Buffer.byteLength(body, 'latin1'))] as const];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}`);
  return `${line}\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}
