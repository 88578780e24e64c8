/** A refused request and its response. `code` is stable; the log and the response contain it. */
export interface Refusal {
  readonly kind: 'refused';
  readonly status: 400 | 401 | 405 | 413 | 415 | 503;
  readonly code:
    | 'METHOD_NOT_ALLOWED'
    | 'CONTENT_TYPE_UNSUPPORTED'
    | 'BODY_TOO_LARGE'
    | 'BODY_INCOMPLETE'
    | 'TOO_BUSY'
    | 'SIGNATURE_MISSING'
    | 'SIGNATURE_WRONG'
    /** Only in the admin API. */
    | 'TOKEN_WRONG'
    | 'DELIVERY_ID_INVALID'
    | 'EVENT_NAME_INVALID'
    | 'JSON_TOO_DEEP'
    | 'JSON_INVALID'
    | 'PAYLOAD_INVALID'
    | 'NOT_STORED';
  /** More detail for the log; never a part of the payload. */
  readonly detail: string | null;
}

const statuses = {
  METHOD_NOT_ALLOWED: 405,
  CONTENT_TYPE_UNSUPPORTED: 415,
  BODY_TOO_LARGE: 413,
  BODY_INCOMPLETE: 400,
  TOO_BUSY: 503,
  SIGNATURE_MISSING: 401,
  SIGNATURE_WRONG: 401,
  TOKEN_WRONG: 401,
  DELIVERY_ID_INVALID: 400,
  EVENT_NAME_INVALID: 400,
  JSON_TOO_DEEP: 400,
  JSON_INVALID: 400,
  PAYLOAD_INVALID: 400,
  NOT_STORED: 503,
} as const satisfies Record<Refusal['code'], Refusal['status']>;

/** Creates a refusal with the HTTP status of `code`. */
export function refuse(code: Refusal['code'], detail: string | null = null): Refusal {
  return { kind: 'refused', status: statuses[code], code, detail };
}
