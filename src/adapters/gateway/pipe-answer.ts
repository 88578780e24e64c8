import type { IncomingMessage, ServerResponse } from 'node:http';

/** How the transfer of an answer ended. `stopped`: by the agent, or by the signal. */
export type PipeEnd = 'ended' | 'cut' | 'silent' | 'stopped';

export interface PipeOptions {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly silenceMs: number;
  readonly slowReaderMs: number;
  /** Gets each byte as a character: only ASCII matters, and a chunk may end within a character. */
  readonly onText: (text: string) => void;
}

/**
 * Passes an answer on as it arrives, as fast as the agent takes it. An answer that is too long is cut. The response is ended
 * if the answer came to its end, and destroyed otherwise. Never rejects.
 */
export async function pipeAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  { signal, maxBytes, silenceMs, slowReaderMs, onText }: PipeOptions,
): Promise<PipeEnd> {
  const { promise, resolve } = Promise.withResolvers<PipeEnd>();
  let bytes = 0;
  // While the agent does not take what is there, it is not the model that is silent.
  let timer = setTimeout(resolve, silenceMs, 'silent');
  const wait = (end: PipeEnd, ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(resolve, ms, end);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      resolve('cut');
      return;
    }
    timer.refresh();
    onText(chunk.toString('latin1'));
    if (response.write(chunk)) return;
    answer.pause();
    wait('stopped', slowReaderMs);
  };
  const onDrain = (): void => {
    answer.resume();
    wait('silent', silenceMs);
  };
  const onStopped = (): void => resolve('stopped');
  const onEnd = (): void => resolve('ended');
  const onCut = (): void => resolve('cut');
  signal.addEventListener('abort', onStopped);
  if (signal.aborted) onStopped();
  response.on('drain', onDrain);
  answer.on('data', onData).once('end', onEnd).on('error', onCut).once('close', onCut);
  const end = await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', onStopped);
  response.off('drain', onDrain);
  answer.off('data', onData);
  if (end === 'ended') {
    response.end();
  } else {
    answer.destroy();
    response.destroy();
  }
  return end;
}

/** The beginning of an answer, at most `maxBytes` of it. Never rejects. */
export async function readBeginning(
  answer: IncomingMessage,
  { maxBytes, silenceMs, signal }: Pick<PipeOptions, 'maxBytes' | 'silenceMs' | 'signal'>,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onDone = (): void => resolve(undefined);
  const timer = setTimeout(onDone, silenceMs);
  signal.addEventListener('abort', onDone);
  if (signal.aborted) onDone();
  answer
    .on('data', (chunk: Buffer) => {
      timer.refresh();
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.length;
      if (bytes >= maxBytes) onDone();
    })
    .once('end', onDone)
    .on('error', onDone)
    .once('close', onDone);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', onDone);
  if (!answer.complete) answer.destroy();
  return Buffer.concat(chunks).toString('utf8');
}
