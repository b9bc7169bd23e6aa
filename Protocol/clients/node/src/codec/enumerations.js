/**
 * The names of the protocol's numbers (§15, §16). A test compares them with `layouts.json`.
 *
 * @module
 */

/** Names by number; of the last four the numbers are bits. */
export const ENUMERATIONS = Object.freeze({
  code: { 1: 'MALFORMED', 2: 'FRAME_TOO_LARGE', 3: 'UNSUPPORTED_VERSION', 4: 'UNSUPPORTED_OPCODE',
    5: 'UNSUPPORTED_FIELD', 6: 'WRONG_PHASE', 7: 'BAD_REQUEST_ID', 8: 'AUTHENTICATION_FAILED', 9: 'FORBIDDEN',
    10: 'NOT_FOUND', 11: 'INVALID_ARGUMENT', 12: 'STALE', 13: 'IDEMPOTENCY_CONFLICT', 14: 'TOO_LARGE',
    15: 'RATE_LIMITED', 16: 'OVERLOADED', 17: 'STORAGE_FULL', 18: 'STORAGE_FAILED', 19: 'DEADLINE', 20: 'DRAINING',
    21: 'TOO_MANY_PINGS', 22: 'TOO_MANY_ERRORS', 23: 'TIMEOUT', 24: 'INTERNAL', 25: 'TOO_MANY_CONNECTIONS',
    26: 'APNS_REFUSED', 27: 'APNS_UNAVAILABLE', 28: 'BEHIND' },
  effect: { 0: 'not_executed', 1: 'unknown', 2: 'executed' },
  scope: { 0: 'request', 1: 'connection' },
  environment: { 1: 'production', 2: 'sandbox' },
  token_kind: { 1: 'device', 2: 'voip', 3: 'liveactivity', 4: 'widget', 5: 'control', 6: 'pushtotalk',
    7: 'fileprovider', 8: 'location', 9: 'complication', 10: 'mdm', 11: 'fcm', 12: 'fid', 13: 'web' },
  push_type: { 1: 'alert', 2: 'background', 3: 'location', 4: 'voip', 5: 'complication', 6: 'fileprovider',
    7: 'mdm', 8: 'liveactivity', 9: 'pushtotalk', 10: 'widgets', 11: 'controls' },
  audience: { 1: 'devices', 2: 'groups', 3: 'topic', 4: 'condition', 5: 'all', 6: 'channel' },
  lane: { 1: 'interactive', 2: 'bulk' },
  over_budget: { 1: 'drop', 2: 'wait' },
  registered: { 1: 'created', 2: 'refreshed', 3: 'replaced' },
  unregistered: { 1: 'removed', 2: 'not-registered' },
  channel_deleted: { 1: 'deleted', 2: 'no-such-channel' },
  storage_policy: { 1: 'none', 2: 'most-recent' },
  forgotten: { 1: 'forgotten', 2: 'no-such-name' },
  device_state: { 1: 'active', 2: 'quarantined' },
  obstacle: { 1: 'unreachable', 2: 'credential-refused' },
  message_state: { 1: 'waiting', 2: 'sending', 3: 'finished', 4: 'scheduled', 5: 'paused' },
  action: { 1: 'cancel', 2: 'pause', 3: 'resume', 4: 'pace' },
  addressing: { 1: 'recipient', 2: 'no-recipient', 3: 'would-be-recipient', 4: 'would-be-no-recipient' },
  source: { 1: 'device', 2: 'group', 3: 'topic', 4: 'term', 5: 'all' },
  receipt: { 1: 'received', 2: 'opened' },
  outcome: { 0: 'pending', 1: 'delivered', 2: 'unregistered', 3: 'expired', 4: 'gave-up', 5: 'wrong-kind',
    6: 'no-credential', 7: 'quarantined', 8: 'muted', 9: 'no-language', 10: 'cancelled', 11: 'over-budget',
    12: 'left', 32: 'token-unregistered', 33: 'token-expired', 34: 'bad-token', 35: 'token-not-for-topic',
    36: 'payload-too-large', 37: 'topic-disallowed', 38: 'bad-topic', 39: 'bad-request', 40: 'forbidden',
    41: 'no-channel', 63: 'refused' },
  event_kind: { 0: 'gap', 1: 'message-finished', 2: 'delivery-failed', 3: 'device-quarantined',
    4: 'token-replaced', 5: 'device-moved', 6: 'message-updated', 7: 'connection-up', 8: 'connection-down',
    9: 'credential-refused', 10: 'bad-tokens-began', 11: 'bad-tokens-ended', 12: 'pool-unreachable',
    13: 'pool-reachable' },
  roles: { 1: 'register', 2: 'send', 4: 'observe', 8: 'admin' },
  memberships_muted: { 1: 'device', 2: 'group' },
  switch_changed: { 1: 'left', 2: 'joined' },
  trace_flags: { 1: 'quarantined', 2: 'muted', 4: 'has-body' },
});

/** The enumerations whose numbers are bits of a sum. */
export const SUMS = Object.freeze(['roles', 'memberships_muted', 'switch_changed', 'trace_flags']);

/** Numbers by name. */
export const NUMBERS = Object.freeze(Object.fromEntries(Object.entries(ENUMERATIONS).map(
  ([enumeration, names]) => [enumeration, new Map(Object.entries(names).map(([value, name]) => [name, Number(value)]))],
)));

/** The beginning of the name of an error code that this version does not know: `UNKNOWN_4711`. */
const UNKNOWN = 'UNKNOWN_';

/**
 * The name of an error code (§15); `UNKNOWN_` and the number if it has none.
 *
 * @param {number} number
 * @returns {string}
 */
export function codeName(number) {
  return ENUMERATIONS.code[number] ?? UNKNOWN + number;
}

/**
 * The number of an error code; 0 for a name without a number.
 *
 * @param {string} name
 * @returns {number}
 */
export function codeNumber(name) {
  return name.startsWith(UNKNOWN) ? Number(name.slice(UNKNOWN.length)) : NUMBERS.code.get(name) ?? 0;
}
