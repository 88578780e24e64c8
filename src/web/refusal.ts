const STATUSES = {
  METHOD_NOT_ALLOWED: 405,
  CONTENT_TYPE_UNSUPPORTED: 415,
  BODY_TOO_LARGE: 413,
  BODY_INCOMPLETE: 400,
  TOO_BUSY: 503,
  SIGNATURE_MISSING: 401,
  SIGNATURE_WRONG: 401,
  /** Only in the admin API. */
  TOKEN_WRONG: 401,
  /** Only at the set-up pages. */
  HOST_UNKNOWN: 421,
  SETUP_TOKEN_WRONG: 403,
  STATE_WRONG: 403,
  CODE_WRONG: 400,
  DELIVERY_ID_INVALID: 400,
  EVENT_NAME_INVALID: 400,
  JSON_TOO_DEEP: 400,
  JSON_INVALID: 400,
  PAYLOAD_INVALID: 400,
  NOT_STORED: 503,
} as const;

/** A refused request and its answer. `code` is stable; the log and the answer contain it. */
export interface Refusal {
  readonly kind: 'refused';
  readonly status: (typeof STATUSES)[keyof typeof STATUSES];
  readonly code: keyof typeof STATUSES;
  /** More detail for the log; never a part of the payload. */
  readonly detail: string | null;
}

/** Creates a refusal with the HTTP status of `code`. */
export function refuse(code: Refusal['code'], detail: string | null = null): Refusal {
  return { kind: 'refused', status: STATUSES[code], code, detail };
}
