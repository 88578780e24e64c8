import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import { parseDeliveryId } from '../../core/model/ids.ts';
import type { AskResult, SentDeliveries, SentDelivery } from '../../ports/github.ts';
import type { MakeCall } from './github-calls.ts';
import { parseResponse } from './parse-response.ts';

const PAGE_SIZE = 100;

const DeliveriesResponse = z.array(
  z.object({
    id: z.string().regex(/^\d{1,30}$/u),
    guid: z.string(),
    delivered_at: z.iso.datetime({ offset: true }),
    status_code: z.number().int(),
    event: z.string(),
    action: z.string().nullable(),
  }),
);

/** The App itself, and not an installation, makes these calls: they need no permission. */
const AS_APP = { installationId: 0, token: null } as const;

/** Reads one page of what GitHub sent to the App's webhook, newest first. A `cursor` comes from the page before. */
export async function readSentDeliveries(
  makeCall: MakeCall,
  cursor: string | null,
  signal: AbortSignal,
): Promise<SentDeliveries> {
  const route = 'GET /app/hook/deliveries';
  const parameters = { per_page: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
  const response = await makeCall({
    ...AS_APP,
    route,
    parameters,
    kind: 'read',
    isIdempotent: true,
    signal,
    isRaw: true,
  });
  const rows = parseResponse(DeliveriesResponse, await readBigJson(response.data), 'deliveries');
  return { deliveries: rows.flatMap(toSentDelivery), next: findNextCursor(String(response.headers['link'] ?? '')) };
}

/** A row without a GUID of the usual form is none that this App could take. */
function toSentDelivery(row: z.infer<typeof DeliveriesResponse>[number]): readonly SentDelivery[] {
  try {
    return [
      {
        id: row.id,
        guid: parseDeliveryId(row.guid),
        sentAt: Date.parse(row.delivered_at),
        isReceived: row.status_code >= 200 && row.status_code < 300,
        eventName: row.event,
        action: row.action,
      },
    ];
  } catch {
    return [];
  }
}

/**
 * Ids of deliveries are beyond 2^53 (octokit/request.js#797), where a parsed number would be another one. They are kept
 * as text.
 */
async function readBigJson(stream: unknown): Promise<unknown> {
  if (!(stream instanceof ReadableStream)) return null;
  const keepIds = (key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    key === 'id' ? (context?.source ?? value) : value;
  try {
    return JSON.parse(await readText(stream), keepIds);
  } catch {
    return null;
  }
}

/** The cursor of the next page in a Link header; null: this page is the last one. */
function findNextCursor(link: string): string | null {
  const address = /<(?<address>[^>]*)>;\s*rel="next"/u.exec(link)?.groups?.['address'];
  return address === undefined ? null : (URL.parse(address)?.searchParams.get('cursor') ?? null);
}

/** Asks GitHub to send a delivery again, with the same GUID. A refusal is final: GitHub no longer has the delivery. */
export async function redeliver(makeCall: MakeCall, id: string, signal: AbortSignal): Promise<AskResult> {
  const route = 'POST /app/hook/deliveries/{delivery_id}/attempts';
  try {
    await makeCall({ ...AS_APP, route, parameters: { delivery_id: id }, kind: 'write', isIdempotent: false, signal });
    return { kind: 'asked' };
  } catch (error) {
    const isRefused = error instanceof GitHubError && (error.code === 'NOT_FOUND' || error.code === 'INVALID');
    if (!isRefused) throw error;
    return { kind: 'refused', why: error.message };
  }
}
