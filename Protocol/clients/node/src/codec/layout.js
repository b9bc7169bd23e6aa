/**
 * Layouts: the fixed part and the tagged section of a payload (§4.2), and the header of a frame (§3).
 *
 * @module
 */
import { compiledReader, compiledWriter } from './compiled.js';
import { camelCase, typeOf } from './types.js';
import { MalformedError, Reader, UnencodableError, Writer, getU32, putU32 } from './wire.js';

/** Bytes of a header. */
export const HEADER_SIZE = 16;
/** The magic of the preface (§2). */
export const MAGIC = Uint8Array.of(0xc3, 0x43, 0x52, 0x4c, 0x4e, 0x0d, 0x0a, 0x1a);
export const PREFACE_SIZE = 16;
export const REQUEST = 1;
export const ANSWER = 2;
export const ERROR = 3;
export const EVENT = 4;
export const CONTROL = 5;
/** The flag of a PING that answers one. */
export const ACK = 1;
/** The common tag `deadline_ms` (§16.2): tag, size and four bytes. */
export const DEADLINE_TAG = 2;
export const DEADLINE_SIZE = 6;

const MAXIMUM_TAGS = 64;

const NONE = Object.freeze({});
const writer = new Writer();

/** The fields of one payload. */
export class Layout {
  // Made at their first use.
  #writer;
  #reader;

  /**
   * @param {{fixed: any[], tags?: any[], untagged?: boolean}} description fields as pairs of name and type, tags with
   *   their number before
   */
  constructor({ fixed, tags = [], untagged = false }) {
    this.description = { fixed, tags, untagged };
    this.fixed = fixed.map(([name, type]) => ({ name, key: camelCase(name), type: typeOf(type), form: type }));
    this.tags = tags.map(([tag, name, type]) => ({ tag, name, key: camelCase(name), type: typeOf(type), form: type }));
    this.byTag = new Map(this.tags.map((field) => [field.tag, field]));
    this.isUntagged = untagged;
  }

  /**
   * Writes the fixed part, a gap, and the fields of the tagged section. Their count, `writer.tags`, belongs at the
   * beginning of the gap, `writer.split`.
   *
   * @param {Writer} writer
   * @param {Record<string, any>} fields by their names in JavaScript
   * @param {Record<string, any>} [own] fields that come before those; null is absent in both
   */
  write(writer, fields, own = NONE) {
    this.#writer ??= compiledWriter(this) ?? this.#writeByTable;
    this.#writer(writer, fields, own);
  }

  /** The same without compiled code. */
  #writeByTable = (writer, fields, own) => {
    for (const field of this.fixed) {
      writer.field = field.name;
      const value = own[field.key] === undefined ? fields[field.key] : own[field.key];
      if ((value === undefined || value === null) && !field.type.isOptional) throw new UnencodableError('is missing');
      field.type.write(writer, value);
    }
    writer.endFixed();
    let tags = 0;
    for (const field of this.tags) {
      const value = own[field.key] === undefined ? fields[field.key] : own[field.key];
      if (value === undefined || value === null) continue;
      writer.field = field.name;
      tags++;
      const start = writer.beginTag(field.tag);
      (field.type.writeRaw ?? field.type.write)(writer, value);
      writer.endTag(start);
    }
    writer.tags = tags;
  };

  /**
   * The bytes of a whole payload.
   *
   * @param {Record<string, any>} fields
   * @returns {Uint8Array}
   */
  encode(fields) {
    writer.begin(0, 1);
    try {
      this.write(writer, fields);
      if (writer.tags === 0) writer.position = writer.split;
      else writer.buffer[writer.split] = writer.tags;
      return Uint8Array.prototype.slice.call(writer.buffer, writer.start, writer.position);
    } finally {
      writer.cancel();
    }
  }

  /**
   * Reads a payload up to `reader.end`; MalformedError if it is not as the layout says.
   *
   * @param {Reader} reader
   * @param {((tag: number, raw: Uint8Array) => void)} [onUnknown] is told of tags that the layout does not have
   * @returns {Record<string, any>}
   */
  read(reader, onUnknown) {
    this.#reader ??= compiledReader(this) ?? this.#readByTable;
    const fields = this.#reader(reader);
    if (reader.position < reader.end && !this.isUntagged) this.#readTags(reader, fields, onUnknown);
    if (reader.position !== reader.end) throw new MalformedError('bytes left over');
    return fields;
  }

  #readByTable = (reader) => {
    const fields = {};
    for (const field of this.fixed) fields[field.key] = field.type.read(reader);
    return fields;
  };

  #readTags(reader, fields, onUnknown) {
    const count = reader.uvarint();
    if (count > MAXIMUM_TAGS) throw new MalformedError(`${count} tags`);
    const { end } = reader;
    let last = -1;
    for (let index = 0; index < count; index++) {
      const tag = reader.uvarint();
      const size = reader.uvarint();
      if (size > reader.left) throw new MalformedError('a tag past the end');
      if (tag <= last) throw new MalformedError('tags that do not ascend');
      last = tag;
      const field = this.byTag.get(tag);
      if (field === undefined) {
        const start = reader.skip(size);
        onUnknown?.(tag, reader.buffer.subarray(start, start + size));
      } else if (field.type.readRaw) {
        fields[field.key] = field.type.readRaw(reader, size);
      } else {
        reader.end = reader.position + size;
        fields[field.key] = field.type.read(reader);
        if (reader.position !== reader.end) throw new MalformedError('bytes left over in a tag');
        reader.end = end;
      }
    }
  }
}

/**
 * Writes a header.
 *
 * @param {Uint8Array} buffer
 * @param {number} position
 * @param {{length: number, kind: number, flags?: number, opcode: number, id?: number}} header
 */
export function putHeader(buffer, position, { length, kind, flags = 0, opcode, id = 0 }) {
  putU32(buffer, position, length);
  buffer[position + 4] = kind;
  buffer[position + 5] = flags;
  buffer[position + 6] = opcode >>> 8;
  buffer[position + 7] = opcode;
  putU32(buffer, position + 8, Math.floor(id / 0x1_0000_0000));
  putU32(buffer, position + 12, id);
}

/**
 * Reads a header. An id of 2⁵³ or more, which no request has, becomes a number near it.
 *
 * @param {Uint8Array} buffer
 * @param {number} position
 */
export function getHeader(buffer, position) {
  return {
    length: getU32(buffer, position),
    kind: buffer[position + 4],
    flags: buffer[position + 5],
    opcode: (buffer[position + 6] << 8) | buffer[position + 7],
    id: getU32(buffer, position + 8) * 0x1_0000_0000 + getU32(buffer, position + 12),
  };
}

/**
 * A whole frame.
 *
 * @param {{kind: number, flags?: number, opcode: number, id?: number}} header
 * @param {Uint8Array} payload
 */
export function frame(header, payload) {
  const bytes = new Uint8Array(HEADER_SIZE + payload.length);
  putHeader(bytes, 0, { ...header, length: payload.length });
  bytes.set(payload, HEADER_SIZE);
  return bytes;
}
