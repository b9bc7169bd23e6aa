/** The golden vectors, and the form of their fields (`vectors/README.md`) in both directions. */
import { Buffer } from 'node:buffer';
import { readFileSync, readdirSync } from 'node:fs';
import { codeName, codeNumber, ENUMERATIONS, NUMBERS } from '../../src/codec/enumerations.js';
import { camelCase } from '../../src/codec/types.js';

export const PROTOCOL = new URL('../../../../', import.meta.url);
export const VECTORS = new URL('vectors/', PROTOCOL);

/** The content of a JSON file of the folder of the protocol. */
export function readJson(name) {
  return JSON.parse(readFileSync(new URL(name, PROTOCOL), 'utf8'));
}

/** All cases of a folder of vectors. */
export function load(folder) {
  const files = readdirSync(new URL(`${folder}/`, VECTORS)).filter((name) => name.endsWith('.json')).sort();
  return files.flatMap((name) => readJson(`vectors/${folder}/${name}`));
}

/** The type in layouts.json of a type of the codec. */
export function wireType(form) {
  if (typeof form === 'string') {
    return { count: 'u64', id: 'u64', time: 'u64', seconds: 'u64', flag: 'u8', code: 'u16' }[form] ?? form;
  }
  if (form.list) return { list: wireType(form.list) };
  if (form.struct) return { struct: form.struct.map(([name, type]) => [name, wireType(type)]) };
  return form.size === 2 ? 'u16' : 'u8';
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const bytes = (digits) => new Uint8Array(Buffer.from(digits, 'hex'));

/** A value of the codec in the form of the vectors. */
export function toJson(form, value) {
  if (form.list) return value.map((each) => toJson(form.list, each));
  if (form.struct) return structToJson(form.struct, value);
  if (form.name) return typeof value === 'string' ? NUMBERS[form.name].get(value) : value;
  if (form.sum) return value.reduce((bits, name) => bits | (NUMBERS[form.sum].get(name) ?? name), 0);
  switch (form) {
    case 'count': case 'id': case 'seconds': return String(value);
    case 'time':
      return value === undefined ? '0' : value instanceof Date ? String(value.getTime()) : String(value);
    case 'flag': return Number(value);
    case 'code': return value === undefined ? 0 : codeNumber(value);
    case 'uuid': return value.replaceAll('-', '');
    case 'bytes': case 'token': case 'data8': return hex(value);
    case 'device': return deviceToJson(value);
    default: return value;
  }
}

function structToJson(parts, value) {
  return Object.fromEntries(parts.map(([name, form]) => [name, toJson(form, value[camelCase(name)])]));
}

function deviceToJson(device) {
  if (device.id !== undefined) return { id: String(device.id) };
  return { token: { environment: toJson({ name: 'environment' }, device.environment),
    kind: toJson({ name: 'token_kind' }, device.kind), token: hex(device.token) } };
}

/** A value of the form of the vectors as the codec and the client take it. */
export function fromJson(form, value) {
  if (form.list) return value.map((each) => fromJson(form.list, each));
  if (form.struct) {
    return Object.fromEntries(form.struct.map(([name, type]) => [camelCase(name), fromJson(type, value[name])]));
  }
  if (form.name) return ENUMERATIONS[form.name][value] ?? value;
  if (form.sum) return bitsFromJson(form.sum, value);
  switch (form) {
    case 'count': return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
    case 'id': case 'seconds': return BigInt(value);
    case 'time': return timeFromJson(BigInt(value));
    case 'flag': return value > 1 ? value : value === 1;
    case 'code': return value === 0 ? undefined : codeName(value);
    case 'bytes': case 'token': case 'data8': return bytes(value);
    case 'device': return deviceFromJson(value);
    default: return value;
  }
}

function timeFromJson(value) {
  if (value > 8_640_000_000_000_000n) return value;
  return value === 0n ? undefined : new Date(Number(value));
}

function bitsFromJson(enumeration, value) {
  const names = [];
  for (let bit = 1; bit <= value; bit <<= 1) if (value & bit) names.push(ENUMERATIONS[enumeration][bit] ?? bit);
  return names;
}

/** A device as the client takes it. */
export function deviceFromJson(device) {
  if ('id' in device) return { id: BigInt(device.id) };
  const { environment, kind, token } = device.token;
  return { token: bytes(token), environment: ENUMERATIONS.environment[environment] ?? environment,
    kind: ENUMERATIONS.token_kind[kind] ?? kind };
}

/** The fields of a layout in the form of the vectors; absent tags are absent. */
export function fieldsToJson(layout, fields) {
  const parts = [...layout.fixed, ...layout.tags.filter((field) => field.key in fields)];
  return Object.fromEntries(parts.map((field) => [field.name, toJson(field.form, fields[field.key])]));
}

/** The fields of a layout from the form of the vectors. */
export function fieldsFromJson(layout, fields) {
  const parts = [...layout.fixed, ...layout.tags].filter((field) => field.name in fields);
  // A time of 0 is the absent value in the fixed part; a tag with it is there all the same.
  return Object.fromEntries(parts.map((field) => [field.key,
    fromJson(field.form, fields[field.name]) ?? (field.tag ? new Date(0) : undefined)]));
}
