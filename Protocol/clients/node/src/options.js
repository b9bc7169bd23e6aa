/**
 * The options of a client, with the defaults of the contract. Durations are in milliseconds.
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { parseAddresses } from './addresses.js';
import { invalidArgument, invalidMember } from './errors.js';

/** The version of this client, which is released with the server. */
export const VERSION = '1.0.0-beta.1';
const NAME = `carillon-node/${VERSION}`;
const MAXIMUM_NAME_BYTES = 64;
const MAXIMUM_KEY_BYTES = 256;
const MINIMUM_RECEIVE_BYTES = 4096;
const MAXIMUM_LIMIT = 0xffff_ffff;

const DURATIONS = {
  requestTimeout: 10_000, connectTimeout: 5000, probeAfter: 3000, pingTimeout: 5000, backoff: 100,
  maximumBackoff: 5000, refusalPause: 60_000, drainTimeout: 5000,
};
/** Default and least value. */
const LIMITS = {
  maximumAttempts: [6, 1], maximumInFlight: [1024, 1], maximumWaitingCalls: [10_000, 1],
  maximumMemoryBytes: [64 << 20, 1], maximumReceiveBytes: [1 << 20, MINIMUM_RECEIVE_BYTES],
};
const TEXTS = ['app', 'apiKeyFile', 'caFile', 'certificateFile', 'certificateKeyFile', 'serverName', 'programName'];
const CHOICES = {
  addressOrder: ['listed', 'shuffled'], security: ['auto', 'tls', 'plaintext', 'plaintext_anywhere'],
};
const HOOKS = ['onCall', 'onRetry', 'onState'];
const OTHER_OPTIONS = ['addresses', 'apiKey', 'ca', 'lazy'];

/** The names that members of an object may have. */
export class Members extends Set {
  /**
   * Known names, mostly those of the last object in its order. A program makes one kind of call with the same members
   * again and again, so that each name is compared with one other.
   *
   * @type {string[]}
   */
  last = [];
}

const KNOWN = new Members([...Object.keys(DURATIONS), ...Object.keys(LIMITS), ...TEXTS, ...Object.keys(CHOICES),
  ...HOOKS, ...OTHER_OPTIONS]);

/** The options of one client, checked. */
export class Options {
  #apiKey;

  /** @param {Record<string, any>} given */
  constructor(given) {
    checkMembers(given, KNOWN);
    this.addresses = parseAddresses(given.addresses);
    for (const [name, value] of Object.entries(DURATIONS)) this[name] = duration(given, name, value);
    for (const [name, [value, least]] of Object.entries(LIMITS)) this[name] = limit(given, name, value, least);
    for (const [name, choices] of Object.entries(CHOICES)) this[name] = choice(given, name, choices);
    for (const name of TEXTS) this[name] = text(given, name);
    for (const name of HOOKS) {
      if (name in given && typeof given[name] !== 'function') throw invalidMember(name, 'must be a function');
      this[name] = given[name];
    }
    this.ca = certificates(given);
    this.lazy = given.lazy ?? false;
    if (typeof this.lazy !== 'boolean') throw invalidMember('lazy', 'must be true or false');
    this.software = softwareName(given.programName);
    this.#apiKey = keySource(given);
    if ((this.certificateFile === undefined) !== (this.certificateKeyFile === undefined)) {
      throw invalidMember('certificateFile', 'must be given together with certificate_key_file');
    }
    this.#checkSecurity();
  }

  /** The option `apiKey`: bytes, a function, or undefined. */
  get apiKey() {
    return this.#apiKey;
  }

  /** True if connections to the address are protected by TLS (CONTRACT.md, TLS-1). */
  hasTls(address) {
    if (address.path !== undefined || this.security.startsWith('plaintext')) return false;
    return this.security === 'tls' || !address.isLoopback || this.ca !== undefined || this.caFile !== undefined
      || this.certificateFile !== undefined || this.serverName !== undefined;
  }

  #checkSecurity() {
    for (const address of this.addresses) {
      if (this.security === 'plaintext' && address.isLiteral && !address.isLoopback) {
        throw invalidMember('security', `${address.text} is not on this machine; plaintext is refused`);
      }
    }
  }
}

/**
 * Refuses members that are not known, and those without a value: `dryrun` or an undefined `dryRun` would send
 * (AUD-3, AUD-4).
 *
 * @param {any} given
 * @param {Members} known
 */
export function checkMembers(given, known) {
  if (typeof given !== 'object' || given === null) throw invalidMember('options', 'must be an object');
  const { last } = known;
  let index = 0;
  for (const name in given) {
    if (name !== last[index]) {
      if (!known.has(name)) throw invalidArgument(name, 'there is no such option');
      last[index] = name;
    }
    index++;
    const value = given[name];
    if (value === undefined || value === null || value !== value) throw invalidMember(name, 'has no value');
  }
}

function duration(given, name, value) {
  const found = given[name] ?? value;
  if (typeof found !== 'number' || !(found >= 0)) throw invalidMember(name, 'must be milliseconds');
  return found;
}

function limit(given, name, value, least) {
  const found = given[name] ?? value;
  if (!Number.isInteger(found) || found < least || found > MAXIMUM_LIMIT) {
    throw invalidMember(name, `must be a whole number from ${least}`);
  }
  return found;
}

function choice(given, name, choices) {
  const found = given[name] ?? choices[0];
  if (!choices.includes(found)) throw invalidMember(name, `must be one of ${choices.join(', ')}`);
  return found;
}

function text(given, name) {
  if (name in given && (typeof given[name] !== 'string' || given[name] === '')) {
    throw invalidMember(name, 'must be a text');
  }
  return given[name];
}

function certificates(given) {
  if (!('ca' in given)) return undefined;
  if (typeof given.ca !== 'string' && !(given.ca instanceof Uint8Array)) throw invalidMember('ca', 'must be PEM');
  if ('caFile' in given) throw invalidMember('ca', 'only one of ca and ca_file can be given');
  return typeof given.ca === 'string' ? given.ca : Buffer.from(given.ca);
}

/** The source of the key, without its value in an error. */
function keySource(given) {
  if (!('apiKey' in given)) return undefined;
  if ('apiKeyFile' in given) throw invalidMember('apiKey', 'only one of api_key and api_key_file can be given');
  return typeof given.apiKey === 'function' ? given.apiKey : keyBytes(given.apiKey);
}

/**
 * The bytes of a key; INVALID_ARGUMENT if it cannot be one.
 *
 * @param {any} key
 * @returns {Uint8Array}
 */
export function keyBytes(key) {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  if (!(bytes instanceof Uint8Array) || bytes.length < 1 || bytes.length > MAXIMUM_KEY_BYTES) {
    throw invalidMember('apiKey', `must be a text or bytes, 1 to ${MAXIMUM_KEY_BYTES} bytes long`);
  }
  return bytes;
}

/** What HELLO says of this client, and behind it of the program, cut between characters (VER-2). */
function softwareName(program) {
  if (program === undefined) return NAME;
  let name = `${NAME} `;
  for (const character of program) {
    if (Buffer.byteLength(name + character) > MAXIMUM_NAME_BYTES) break;
    name += character;
  }
  return name;
}
