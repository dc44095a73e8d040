/** What a refusal says; `http` and `message` have a usual value per code. */
export interface Refusal {
  code: number;
  details?: string | undefined;
  message?: string | undefined;
  subcode?: number | undefined;
  isTransient?: boolean | undefined;
  http?: number | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  1: 'An unknown error occurred',
  2: 'Service temporarily unavailable',
  4: 'Application request limit reached',
  10: 'Application does not have permission for this action',
  100: 'Invalid parameter',
  131000: 'Something went wrong',
  131005: 'Access denied',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131026: 'Message undeliverable',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131051: 'Unsupported message type',
  131056: '(Business Account, Consumer Account) pair rate limit hit',
  130429: 'Rate limit hit',
  80007: 'Rate limit issues',
};

const DETAILS: Readonly<Record<number, string>> = {
  131047:
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  131056:
    'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
};

/** Throttling codes come with 400 here: their HTTP status is not promised, so a client must look at the code. */
const HTTP: Readonly<Record<number, number>> = { 1: 500, 2: 500, 190: 401, 131000: 500, 131016: 503 };

/** Usual title of an error code, as used in failed statuses. */
export function errorTitle(code: number): string {
  return TITLES[code] ?? 'Message failed to send';
}

/** Usual explanation of an error code. */
export function errorDetails(code: number): string {
  return DETAILS[code] ?? errorTitle(code);
}

/** HTTP status and body of a refusal, in the shape of Graph API errors. */
export function graphErrorAnswer(refusal: Refusal): { status: number; body: object } {
  const { code, subcode, isTransient } = refusal;
  const details = refusal.details ?? (code >= 130_000 ? errorDetails(code) : undefined);
  return {
    status: refusal.http ?? HTTP[code] ?? 400,
    body: {
      error: {
        message: refusal.message ?? `(#${code}) ${errorTitle(code)}`,
        type: 'OAuthException',
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
        ...(isTransient === undefined ? {} : { is_transient: isTransient }),
        fbtrace_id: `A${Math.random().toString(36).slice(2, 12)}`,
      },
    },
  };
}
