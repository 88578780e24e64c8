import { randomUUID } from 'node:crypto';
import { request } from 'node:http';

/**
 * A program of its own, so that its memory is not counted as the receiver's: `flood.ts <url> <posts> <bytes>` sends forged
 * posts, five at a time, and prints the statuses that it saw as a JSON object of counts.
 */

const [url = '', posts = '0', bytes = '0'] = process.argv.slice(2);
const body = Buffer.alloc(Number(bytes), 0x41);
const counts: Record<string, number> = {};

function forge(): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
      'content-length': body.length,
    };
    const outgoing = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume().once('close', () => {
        resolve(String(response.statusCode));
      });
    });
    outgoing.once('error', () => {
      resolve('cut');
    });
    outgoing.end(body);
  });
}

async function sendInTurn(): Promise<void> {
  for (let sent = 0; sent < Number(posts) / 5; sent += 1) {
    const status = await forge();
    counts[status] = (counts[status] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: 5 }, sendInTurn));
process.stdout.write(JSON.stringify(counts));
