/**
 * Which address is tried next, and when (CONTRACT.md, ADR, CRED).
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { cannotConnect } from '../errors.js';

/** One address and what is known of it. */
export class Target {
  /** @param {import('../addresses.js').Address} address */
  constructor(address) {
    this.address = address;
    this.notBefore = -Infinity;
    /** Why the server refuses this client (CONTRACT.md, CRED-1). */
    this.refusal = undefined;
    this.refusedUntil = -Infinity;
    this.refusedKey = undefined;
  }
}

/** The addresses of a client, and the rounds in which they are tried. */
export class ServerSelection {
  /**
   * @param {import('../options.js').Options} options
   * @param {() => number} random from 0 to below 1
   */
  constructor(options, random) {
    this.options = options;
    this.random = random;
    this.targets = options.addresses.map((address) => new Target(address));
    if (options.addressOrder === 'shuffled') this.#shuffle();
    this.lastConnected = -1;
    this.round = [];
    this.failedRounds = 0;
    this.pauseUntil = -Infinity;
    this.causes = [];
    /** The causes of the last round that has failed without a refusal by all addresses. */
    this.lastCauses = [];
    this.lastCause = undefined;
  }

  #shuffle() {
    const { targets } = this;
    for (let index = targets.length - 1; index > 0; index--) {
      const other = Math.floor(this.random() * (index + 1));
      [targets[index], targets[other]] = [targets[other], targets[index]];
    }
  }

  /** True if every address refuses this client. */
  get areAllRefused() {
    return this.targets.every((target) => target.refusal !== undefined);
  }

  /** The first of the refusals. */
  get refusal() {
    const refused = this.targets.filter((target) => target.refusal !== undefined);
    return refused.reduce((first, each) => (first && first.refusedUntil <= each.refusedUntil ? first : each),
      undefined)?.refusal;
  }

  /** True if another key than the refused one could be accepted. */
  get couldUseAnotherKey() {
    return this.targets.some((target) => target.refusal?.code === 'AUTHENTICATION_FAILED');
  }

  /** The time from which an address can be tried; Infinity if all are refused. */
  nextTime() {
    const times = this.targets.map((target) => (target.refusal ? target.refusedUntil : target.notBefore));
    return this.areAllRefused ? Infinity : Math.max(this.pauseUntil, Math.min(...times));
  }

  /** Makes refused addresses available again whose refusal pause is over (CRED-3). */
  liftByTime(now) {
    for (const target of this.targets) {
      if (now >= target.refusedUntil) target.refusal = undefined;
    }
  }

  /** Makes the addresses available again that have refused another key than this one. */
  liftByKey(key) {
    for (const target of this.targets) {
      if (target.refusal?.code === 'AUTHENTICATION_FAILED' && !areEqual(key, target.refusedKey)) {
        target.refusal = undefined;
      }
    }
  }

  /** True if an address may be tried now. */
  canConnect(now) {
    return now >= this.pauseUntil && this.targets.some((target) => isAvailable(target, now));
  }

  /** The next address of the round (ADR-4); undefined if none may be tried now. */
  next(now) {
    if (now < this.pauseUntil) return undefined;
    this.round = this.round.filter((target) => isAvailable(target, now));
    if (this.round.length === 0) {
      const start = (this.lastConnected + 1) % this.targets.length;
      this.round = [...this.targets.slice(start), ...this.targets.slice(0, start)]
        .filter((target) => isAvailable(target, now));
    }
    return this.round.shift();
  }

  /** Records that a connection to the address has opened. */
  opened(target) {
    this.lastConnected = this.targets.indexOf(target);
  }

  /**
   * Records that the connection has worked: there are no failed rounds any more. A connection that has only opened does
   * not count: a server that accepts and closes would be asked in a loop (CON-15).
   */
  worked() {
    this.failedRounds = 0;
    this.round = [];
    this.causes = [];
    this.lastCause = undefined;
  }

  /**
   * Records an attempt that has failed. Returns the error of the round if that was its last address (ADR-5).
   *
   * @param {Target} target
   * @param {import('../errors.js').CarillonError} error
   * @param {number} now
   */
  failed(target, error, now) {
    this.causes.push(`${target.address.text}: ${error.code}: ${error.message}`);
    this.lastCause = error;
    if (this.round.some((each) => isAvailable(each, now))) return undefined;
    this.round = [];
    this.failedRounds++;
    this.pauseUntil = now + this.randomPause(this.failedRounds);
    const result = this.refusal ?? cannotConnect(error.message, { causes: this.causes, cause: error });
    if (!this.areAllRefused) this.lastCauses = this.causes;
    this.causes = [];
    return result;
  }

  /** The error of a call that has found no connection before its deadline (DL-3). */
  timeout() {
    const causes = this.causes.length > 0 ? this.causes : this.lastCauses;
    return cannotConnect(this.lastCause?.message ?? 'no connection was opened in time', { causes,
      cause: this.lastCause });
  }

  /** Rules an address out that refuses this client: the same key would be refused again (CRED-3). */
  refuse(target, error, key, now) {
    target.refusal = error.with({ effect: 'not_executed' });
    target.refusedUntil = now + this.options.refusalPause;
    target.refusedKey = key;
  }

  /** Rules an address out for the time that its server has asked for, in a GOAWAY (GO-2) or an error (ADR-6). */
  ruleOut(target, until) {
    target.notBefore = Math.max(target.notBefore, until);
  }

  /**
   * The random part of the pause after `count` attempts or rounds, in milliseconds: it spreads clients that were
   * refused at the same moment (RET-5).
   */
  randomPause(count) {
    const { backoff, maximumBackoff } = this.options;
    const whole = Math.min(maximumBackoff, backoff * 2 ** (count - 1));
    return whole / 2 + this.random() * whole / 2;
  }
}

function isAvailable(target, now) {
  return target.refusal === undefined && target.notBefore <= now;
}

function areEqual(one, other) {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}
