/** All of `stream` as UTF-8 text. Stops and returns null when it exceeds `maxBytes`. Rejects if the stream fails. */
export async function readText(stream: AsyncIterable<unknown>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += bytes.length;
    if (length > maxBytes) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
