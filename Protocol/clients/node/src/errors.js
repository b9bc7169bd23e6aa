/**
 * The one error of this client.
 *
 * @module
 */
import { ENUMERATIONS, codeName, codeNumber } from './codec/enumerations.js';
import { snakeCase } from './codec/types.js';

/** Effects from the best to the worst. */
const EFFECTS = ['not_executed', 'unknown', 'executed'];
const OF_CONNECTIONS = new Set(['CANNOT_CONNECT', 'CONNECTION_LOST', 'UNTRUSTED']);
/** The `retry_after_ms` that means never: the same call fails again. */
const NEVER = 0xffff_ffff;

/** Why a call failed. */
export class CarillonError extends Error {
  #isRepeatable;

  /**
   * @param {string} code a name of §15 of the protocol or of CONTRACT.md, ERR-2
   * @param {string} message a text for engineers
   * @param {object} [members] the others; `isRepeatable` says that the request may be made again after effect unknown
   */
  constructor(code, message, members = {}) {
    super(message);
    const { isRepeatable = false, cause, ...others } = members;
    this.#isRepeatable = isRepeatable;
    if (cause !== undefined) Object.defineProperty(this, 'cause', { value: cause, configurable: true, writable: true });
    this.code = code;
    this.number = codeNumber(code);
    this.effect = 'not_executed';
    this.scope = OF_CONNECTIONS.has(code) ? 'connection' : 'request';
    this.retryAfter = undefined;
    this.field = undefined;
    this.item = undefined;
    this.limit = undefined;
    this.column = undefined;
    this.reason = undefined;
    this.key = undefined;
    this.attempts = 0;
    this.causes = [];
    Object.assign(this, others);
  }

  get name() {
    return 'CarillonError';
  }

  /** True if the call certainly changed nothing. */
  get isNotExecuted() {
    return this.effect === 'not_executed';
  }

  /** True if the same call, a SEND or RESEND with `key`, can be made again without doing it twice (ERR-4). */
  get isSafeToRetry() {
    return this.isNotExecuted || (this.effect === 'unknown' && this.#isRepeatable);
  }

  /** True if the same call can succeed later. */
  get isTransient() {
    return this.retryAfter !== undefined;
  }

  /**
   * A copy with other members.
   *
   * @param {object} members
   * @returns {CarillonError}
   */
  with(members) {
    const { code, message, number, effect, scope, retryAfter, field, item, limit, column, reason } = this;
    const { key, attempts, causes, cause } = this;
    return new CarillonError(code, message, { number, effect, scope, retryAfter, field, item, limit, column, reason,
      key, attempts, causes, cause, isRepeatable: this.#isRepeatable, ...members });
  }
}

/**
 * The error that an error frame says (§15).
 *
 * @param {Record<string, any>} fields
 */
export function errorFromFrame(fields) {
  return new CarillonError(codeName(fields.code), fields.message, {
    number: fields.code,
    effect: ENUMERATIONS.effect[fields.effect] ?? 'unknown',
    scope: fields.scope === 1 ? 'connection' : 'request',
    retryAfter: fields.retryAfterMs === NEVER ? undefined : fields.retryAfterMs,
    field: fields.field, item: fields.item, limit: fields.limit, column: fields.column,
    reason: fields.reason,
  });
}

/**
 * INVALID_ARGUMENT: what this client refuses itself.
 *
 * @param {string} field as the protocol writes it, `message_id` for `messageId`; or a path
 * @param {string} text what is wrong with it
 */
export function invalidArgument(field, text) {
  return new CarillonError('INVALID_ARGUMENT', `${field}: ${text}`, { field });
}

/**
 * INVALID_ARGUMENT of a member with a name of JavaScript.
 *
 * @param {string} name
 * @param {string} text
 */
export function invalidMember(name, text) {
  return invalidArgument(snakeCase(name), text);
}

/** Makes the error of a connection that ended before an answer. */
export function connectionLostError(text) {
  return new CarillonError('CONNECTION_LOST', text, { effect: 'unknown', retryAfter: 0 });
}

/** Makes the error of an attempt to connect that failed. */
export function cannotConnect(text, members = {}) {
  return new CarillonError('CANNOT_CONNECT', text, { retryAfter: 0, ...members });
}

/** Makes the error of a call to a closed client. */
export function closedError() {
  return new CarillonError('CLOSED', 'the client was closed');
}

/**
 * The worse of two effects (ERR-3).
 *
 * @param {string} one
 * @param {string} other
 */
export function worseEffect(one, other) {
  return EFFECTS.indexOf(one) < EFFECTS.indexOf(other) ? other : one;
}
