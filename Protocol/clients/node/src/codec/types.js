/**
 * The types of fields (§4.1): how each is written and read, and what it is in JavaScript.
 *
 * | type | on the wire | in JavaScript |
 * |---|---|---|
 * | `u8` `u16` `u32` | the same | number |
 * | `count` | u64 | number below 2⁵³ |
 * | `id` | u64: ids, cursors, sequences | bigint |
 * | `time` | u64, ms since 1970 | Date; undefined for 0. Written from a Date, a number of ms or a bigint |
 * | `seconds` | u64, s since 1970 | bigint. Written from a Date, a number of ms, or a bigint of seconds |
 * | `uuid` | 16 bytes | text with hyphens |
 * | `flag` | u8 | boolean; a number above 1 stays one |
 * | `code` | u16 | name of an error code; undefined for 0 |
 * | `str` `topic` `bytes` `token` `device` | the same | text, Uint8Array, `{ id }` or `{ token, environment, kind }` |
 * | `{ name }` | u8 or u16 | name of an enumeration; an unknown number stays one |
 * | `{ sum }` | u8 | names of the bits; an unknown bit is its number |
 * | `{ list }` `{ struct }` | the same | array, object |
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import { ENUMERATIONS, NUMBERS, codeName, codeNumber } from './enumerations.js';
import { MalformedError, TextBytes, UnencodableError } from './wire.js';

const MAXIMUM_U64 = 2n ** 64n - 1n;
const FCM_PREFIX = '/topics/';
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
/** Stands for a new random UUID of version 4. */
export const NEW_KEY = Symbol('new key');
/** Random bytes of the operating system, for 1,024 UUIDs. */
const RANDOM = Buffer.alloc(16_384);
/** The same bytes by words: four of them are faster to copy than sixteen bytes. */
const RANDOM_WORDS = new DataView(RANDOM.buffer, RANDOM.byteOffset, RANDOM.length);
let randomUsed = RANDOM.length;
const HEX = /^(?:[0-9a-f]{2})+$/i;

/**
 * A type: `least` is its smallest size; `raw` types have no length of their own as the value of a tag.
 *
 * @typedef {object} Type
 * @property {number} least
 * @property {boolean} [isOptional] undefined is written as 0
 * @property {(writer: import('./wire.js').Writer, value: any) => void} write
 * @property {(reader: import('./wire.js').Reader) => any} read
 * @property {((writer: import('./wire.js').Writer, value: any) => void)} [writeRaw]
 * @property {((reader: import('./wire.js').Reader, size: number) => any)} [readRaw]
 */

/** Returns the value if it is a whole number from 0 to the largest. */
function whole(value, largest) {
  if (!Number.isInteger(value) || value < 0 || value > largest) {
    throw new UnencodableError(`must be a whole number from 0 to ${largest}`);
  }
  return value;
}

/** Returns the u64 of a bigint, or of a number below 2⁵³. */
function u64(value) {
  const found = Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof found !== 'bigint' || found < 0n || found > MAXIMUM_U64) {
    throw new UnencodableError('must be a bigint from 0 to 2⁶⁴ − 1');
  }
  return found;
}

/** Returns the milliseconds of a time; 0 for undefined. */
function milliseconds(value) {
  if (value === undefined) return 0;
  const found = value instanceof Date ? value.getTime() : value;
  if (!Number.isSafeInteger(found) || found < 0) {
    throw new UnencodableError('must be a Date or whole milliseconds since 1970');
  }
  return found;
}

function writeRandomUUID(writer) {
  if (randomUsed === RANDOM.length) {
    randomFillSync(RANDOM);
    randomUsed = 0;
  }
  writer.reserve(16);
  const start = writer.position;
  const { view } = writer;
  writer.position = start + 16;
  view.setUint32(start, RANDOM_WORDS.getUint32(randomUsed));
  view.setUint32(start + 4, (RANDOM_WORDS.getUint32(randomUsed + 4) & 0xffff_0fff) | 0x4000);
  view.setUint32(start + 8, (RANDOM_WORDS.getUint32(randomUsed + 8) & 0x3fff_ffff) | 0x8000_0000);
  view.setUint32(start + 12, RANDOM_WORDS.getUint32(randomUsed + 12));
  randomUsed += 16;
}

function writeText(writer, value) {
  if (typeof value !== 'string') throw new UnencodableError('must be a text');
  writer.text(value);
}

/** Writes a text with its length of two bytes. */
function writeMeasuredText(writer, value) {
  const start = writer.beginMeasured(2);
  writeText(writer, value);
  writer.endMeasured(start, 2);
}

const readText = (reader, size) => reader.text(size);

function readTopic(reader, size) {
  const text = reader.text(size);
  return text.startsWith(FCM_PREFIX) ? text.slice(FCM_PREFIX.length) : text;
}

function writeBytes(writer, value) {
  if (value instanceof TextBytes) writer.anyText(value.text);
  else if (value instanceof Uint8Array) writer.bytes(value);
  else throw new UnencodableError('must be a Uint8Array');
}

const readBytes = (reader, size) => reader.bytes(size);

/** The bytes of a Uint8Array, or of hexadecimal digits where they are allowed. */
function tokenBytes(value) {
  const bytes = typeof value === 'string' && HEX.test(value) ? Buffer.from(value, 'hex') : value;
  if (!(bytes instanceof Uint8Array) || bytes.length < 1 || bytes.length > 255) {
    throw new UnencodableError('must be 1 to 255 bytes: a Uint8Array or hexadecimal digits');
  }
  return bytes;
}

const writeToken = (writer, value) => writer.bytes(tokenBytes(value));

function readToken(reader, size) {
  if (size < 1 || size > 255) throw new MalformedError('a token of no or too many bytes');
  return reader.bytes(size);
}

/** @type {Type} */
const TOKEN = {
  least: 2,
  write(writer, value) {
    const start = writer.beginMeasured(1);
    writeToken(writer, value);
    writer.endMeasured(start, 1);
  },
  read: (reader) => readToken(reader, reader.u8()),
  writeRaw: writeToken,
  readRaw: readToken,
};

const TIME = {
  least: 8,
  isOptional: true,
  write: (writer, value) => writer.u64(typeof value === 'bigint' ? u64(value) : BigInt(milliseconds(value))),
  read: (reader) => reader.time(),
};

const ENVIRONMENT = named('environment', 1);
const KIND = named('token_kind', 1);

const DEVICE_MEMBERS = ['token', 'environment', 'kind'];

const DEVICE = {
  least: 5,
  write(writer, value) {
    const id = value?.id;
    if ((id === undefined) === (value?.token === undefined)) {
      throw new UnencodableError('must be a device: { id } or { token, environment, kind }');
    }
    if (id !== undefined) {
      if (memberCount(value) > 1) onlyMembers(value, ['id']);
      writer.u8(2);
      writer.u64(u64(id));
      return;
    }
    onlyMembers(value, DEVICE_MEMBERS);
    writer.u8(1);
    ENVIRONMENT.write(writer, value.environment === undefined ? 1 : value.environment);
    KIND.write(writer, value.kind === undefined ? 1 : value.kind);
    TOKEN.write(writer, value.token);
  },
  read(reader) {
    const form = reader.u8();
    if (form === 2) return { id: reader.u64() };
    if (form !== 1) throw new MalformedError(`form ${form} of a device`);
    const environment = ENVIRONMENT.read(reader);
    const kind = KIND.read(reader);
    return { token: TOKEN.read(reader), environment, kind };
  },
};

/** The number of the members of an object. */
export function memberCount(value) {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** Refuses members that are not in the list, and those without a value. */
function onlyMembers(value, members) {
  for (const name in value) {
    if (!members.includes(name)) throw new UnencodableError(`has no member ${name}`);
    if (value[name] === undefined || value[name] === null) throw new UnencodableError(`${name} has no value`);
  }
}

/**
 * Each type has functions of its own. Functions that several types share, and that ask which one is meant, are compiled
 * for all of them: V8 puts none of their calls straight into the code of a layout.
 *
 * @type {Record<string, Type>}
 */
const SCALARS = {
  u8: { least: 1, write: (writer, value) => writer.u8(whole(value, 0xff)), read: (reader) => reader.u8() },
  u16: { least: 2, write: (writer, value) => writer.u16(whole(value, 0xffff)), read: (reader) => reader.u16() },
  u32: { least: 4, write: (writer, value) => writer.u32(whole(value, 0xffff_ffff)), read: (reader) => reader.u32() },
  count: {
    least: 8,
    write: (writer, value) => writer.u64(typeof value === 'bigint' ? u64(value)
      : BigInt(whole(value, Number.MAX_SAFE_INTEGER))),
    read: (reader) => reader.count(),
  },
  id: { least: 8, write: (writer, value) => writer.u64(u64(value)), read: (reader) => reader.u64() },
  time: TIME,
  seconds: {
    least: 8,
    write: (writer, value) => writer.u64(typeof value === 'bigint' ? u64(value)
      : BigInt(Math.ceil(milliseconds(value) / 1000))),
    read: (reader) => reader.u64(),
  },
  uuid: {
    least: 16,
    write(writer, value) {
      if (value === NEW_KEY) {
        writeRandomUUID(writer);
        return;
      }
      if (typeof value !== 'string' || !UUID.test(value)) throw new UnencodableError('must be a UUID');
      writer.bytes(Buffer.from(value.replaceAll('-', ''), 'hex'));
    },
    read(reader) {
      const start = reader.skip(16);
      return uuidText(reader.buffer.toString('hex', start, start + 16));
    },
  },
  flag: {
    least: 1,
    write(writer, value) {
      if (typeof value !== 'boolean' && !Number.isInteger(value)) throw new UnencodableError('must be true or false');
      writer.u8(whole(Number(value), 0xff));
    },
    read(reader) {
      const value = reader.u8();
      return value > 1 ? value : value === 1;
    },
  },
  code: {
    least: 2,
    isOptional: true,
    write: (writer, value) => writer.u16(value === undefined ? 0 : codeNumber(value)),
    read(reader) {
      const value = reader.u16();
      return value === 0 ? undefined : codeName(value);
    },
  },
  data8: { least: 8, write: (writer, value) => writer.bytes(value), read: (reader) => reader.bytes(8) },
  str: {
    least: 2,
    write: writeMeasuredText,
    read: (reader) => reader.text(reader.u16()),
    writeRaw: writeText,
    readRaw: readText,
  },
  topic: {
    least: 2,
    write: writeMeasuredText,
    read: (reader) => readTopic(reader, reader.u16()),
    writeRaw: writeText,
    readRaw: readTopic,
  },
  bytes: {
    least: 4,
    write(writer, value) {
      const start = writer.beginMeasured(4);
      writeBytes(writer, value);
      writer.endMeasured(start, 4);
    },
    read: (reader) => reader.bytes(reader.u32()),
    writeRaw: writeBytes,
    readRaw: readBytes,
  },
  token: TOKEN,
  device: DEVICE,
};

/** The text of a UUID of 32 digits, with hyphens. */
export function uuidText(digits) {
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-`
    + digits.slice(20);
}

/** An enumeration. A name that is none is refused; a number is written as it is. */
function named(enumeration, size) {
  const names = ENUMERATIONS[enumeration];
  const numbers = NUMBERS[enumeration];
  // Programs give the same name again and again.
  let [last, lastNumber] = numbers.entries().next().value;
  return {
    least: size,
    write(writer, value) {
      if (value !== last) {
        const found = typeof value === 'string' ? numbers.get(value) : value;
        if (found === undefined) throw new UnencodableError(`must be one of ${[...numbers.keys()].join(', ')}`);
        lastNumber = whole(found, size === 1 ? 0xff : 0xffff);
        last = value;
      }
      if (size === 1) writer.u8(lastNumber);
      else writer.u16(lastNumber);
    },
    read(reader) {
      const value = size === 1 ? reader.u8() : reader.u16();
      return names[value] ?? value;
    },
  };
}

/** A sum of bits, as a list of their names. */
function sum(enumeration) {
  const names = ENUMERATIONS[enumeration];
  const numbers = NUMBERS[enumeration];
  return {
    least: 1,
    write(writer, value) {
      writer.u8(value.reduce((bits, name) => bits | (numbers.get(name) ?? name), 0));
    },
    read(reader) {
      const value = reader.u8();
      const found = [];
      for (let bit = 1; bit <= value; bit <<= 1) {
        if (value & bit) found.push(names[bit] ?? bit);
      }
      return found;
    },
  };
}

function list(item) {
  return {
    least: 4,
    write(writer, value) {
      if (!Array.isArray(value)) throw new UnencodableError('must be an array');
      writer.u32(value.length);
      for (const each of value) item.write(writer, each);
    },
    read(reader) {
      const count = reader.u32();
      if (count * item.least > reader.left) throw new MalformedError(`a list of ${count} items`);
      const found = [];
      for (let index = 0; index < count; index++) found.push(item.read(reader));
      return found;
    },
  };
}

function struct(parts) {
  const fields = parts.map(([name, type]) => ({ name: camelCase(name), type: typeOf(type) }));
  const names = fields.map((field) => field.name);
  return {
    least: fields.reduce((least, field) => least + field.type.least, 0),
    write(writer, value) {
      if (typeof value !== 'object' || value === null) throw new UnencodableError('must have objects');
      for (const name in value) {
        if (!names.includes(name)) throw new UnencodableError(`has no member ${name}`);
      }
      for (const field of fields) {
        const member = value[field.name];
        if (member === undefined && !field.type.isOptional) throw new UnencodableError(`lacks ${field.name}`);
        field.type.write(writer, member);
      }
    },
    read(reader) {
      const found = {};
      for (const field of fields) found[field.name] = field.type.read(reader);
      return found;
    },
  };
}

/**
 * The type of this name or form.
 *
 * @param {any} type
 * @returns {Type}
 */
export function typeOf(type) {
  if (typeof type === 'string') return SCALARS[type];
  if (type.list !== undefined) return list(typeOf(type.list));
  if (type.struct !== undefined) return struct(type.struct);
  return type.sum !== undefined ? sum(type.sum) : named(type.name, type.size ?? 1);
}

/**
 * The name of a field in JavaScript: `message_id` is `messageId`.
 *
 * @param {string} name
 */
export function camelCase(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * The name of a field in the protocol.
 *
 * @param {string} name
 */
export function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
