/**
 * JSON in the one form of `Payloads.md` §4, so that equal values give equal bytes.
 *
 * @module
 */
import { invalidArgument } from '../errors.js';

const MAXIMUM_DEPTH = 32;
const LONE_SURROGATE = /\p{Surrogate}/u;
const MINIMUM_INTEGER = -(2n ** 63n);
const MAXIMUM_INTEGER = 2n ** 63n - 1n;

/**
 * The text of a value. INVALID_ARGUMENT of its path if JSON cannot express it.
 *
 * @param {any} value null, boolean, number, bigint, text, array or plain object
 * @param {string} [path]
 * @param {number} [depth]
 * @returns {string}
 */
export function writeJson(value, path = 'payload', depth = 1) {
  switch (typeof value) {
    case 'string': return writeText(value, path);
    case 'boolean': return value ? 'true' : 'false';
    case 'bigint':
      return value >= MINIMUM_INTEGER && value <= MAXIMUM_INTEGER ? String(value) : writeNumber(Number(value), path);
    case 'number': return writeNumber(value, path);
    case 'object': return value === null ? 'null' : writeNested(value, path, depth);
    default: throw fault(path, `a ${typeof value} is not JSON`);
  }
}

function fault(path, text) {
  return invalidArgument(path, text);
}

function writeNumber(value, path) {
  if (!Number.isFinite(value)) throw fault(path, 'a number that is not finite');
  return JSON.stringify(value);
}

function writeText(value, path) {
  if (LONE_SURROGATE.test(value)) throw fault(path, 'a text with a lone surrogate');
  return JSON.stringify(value);
}

function writeNested(value, path, depth) {
  if (depth > MAXIMUM_DEPTH) throw fault(path, `nested deeper than ${MAXIMUM_DEPTH}`);
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, path, depth + 1)).join(',')}]`;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw fault(path, 'an object of a class is not JSON');
  // The order of JavaScript's sort is that of the UTF-16 code units.
  const members = Object.keys(value).sort().map((name) => {
    const text = writeText(name, path);
    return `${text}:${writeJson(value[name], `${path}.${name}`, depth + 1)}`;
  });
  return `{${members.join(',')}}`;
}
