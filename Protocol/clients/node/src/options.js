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

  /** @param {Record<string, any>} options */
  constructor(options) {
    checkMembers(options, KNOWN);
    this.addresses = parseAddresses(options.addresses);
    for (const [name, value] of Object.entries(DURATIONS)) this[name] = duration(options, name, value);
    for (const [name, [value, least]] of Object.entries(LIMITS)) this[name] = limit(options, name, value, least);
    for (const [name, choices] of Object.entries(CHOICES)) this[name] = choice(options, name, choices);
    for (const name of TEXTS) this[name] = text(options, name);
    for (const name of HOOKS) {
      if (name in options && typeof options[name] !== 'function') throw invalidMember(name, 'must be a function');
      this[name] = options[name];
    }
    this.ca = certificates(options);
    this.lazy = options.lazy ?? false;
    if (typeof this.lazy !== 'boolean') throw invalidMember('lazy', 'must be true or false');
    this.software = softwareName(options.programName);
    this.#apiKey = keySource(options);
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
 * @param {any} object
 * @param {Members} known
 */
export function checkMembers(object, known) {
  if (typeof object !== 'object' || object === null) throw invalidMember('options', 'must be an object');
  const { last } = known;
  let index = 0;
  for (const name in object) {
    if (name !== last[index]) {
      if (!known.has(name)) throw invalidArgument(name, 'there is no such option');
      last[index] = name;
    }
    index++;
    const value = object[name];
    if (value === undefined || value === null || value !== value) throw invalidMember(name, 'has no value');
  }
}

function duration(options, name, value) {
  const found = options[name] ?? value;
  if (typeof found !== 'number' || !(found >= 0)) throw invalidMember(name, 'must be milliseconds');
  return found;
}

function limit(options, name, value, least) {
  const found = options[name] ?? value;
  if (!Number.isInteger(found) || found < least || found > MAXIMUM_LIMIT) {
    throw invalidMember(name, `must be a whole number from ${least}`);
  }
  return found;
}

function choice(options, name, choices) {
  const found = options[name] ?? choices[0];
  if (!choices.includes(found)) throw invalidMember(name, `must be one of ${choices.join(', ')}`);
  return found;
}

function text(options, name) {
  if (name in options && (typeof options[name] !== 'string' || options[name] === '')) {
    throw invalidMember(name, 'must be a text');
  }
  return options[name];
}

function certificates(options) {
  if (!('ca' in options)) return undefined;
  if (typeof options.ca !== 'string' && !(options.ca instanceof Uint8Array)) throw invalidMember('ca', 'must be PEM');
  if ('caFile' in options) throw invalidMember('ca', 'only one of ca and ca_file can be given');
  return typeof options.ca === 'string' ? options.ca : Buffer.from(options.ca);
}

/** The source of the key, without its value in an error. */
function keySource(options) {
  if (!('apiKey' in options)) return undefined;
  if ('apiKeyFile' in options) throw invalidMember('apiKey', 'only one of api_key and api_key_file can be given');
  return typeof options.apiKey === 'function' ? options.apiKey : keyBytes(options.apiKey);
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
