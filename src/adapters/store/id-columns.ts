import { customType } from 'drizzle-orm/sqlite-core';
import {
  type DeliveryId,
  type PullRequestKey,
  parseDeliveryId,
  parsePullRequestKey,
  parseRunId,
  parseSessionId,
  parseSha,
  type RunId,
  type SessionId,
  type Sha,
} from '../../core/model/ids.ts';

// Columns of branded identifiers. They are parsed on reading, so a damaged value cannot pass as an identifier.
export const sha = customType<{ data: Sha; driverData: string }>({ dataType: () => 'text', fromDriver: parseSha });
export const deliveryId = customType<{ data: DeliveryId; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseDeliveryId,
});
export const sessionId = customType<{ data: SessionId; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseSessionId,
});
export const runId = customType<{ data: RunId; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseRunId,
});
export const pullRequestKey = customType<{ data: PullRequestKey; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parsePullRequestKey,
});
