/** The golden vectors of frames, and bytes that are no frames. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { ENUMERATIONS } from '../src/codec/enumerations.js';
import {
  ANSWER, CONTROL, ERROR, EVENT, HEADER_SIZE, Layout, REQUEST, frame, getHeader,
} from '../src/codec/layout.js';
import * as messages from '../src/codec/messages.js';
import { MalformedError, Reader, UnencodableError } from '../src/codec/wire.js';
import { fieldsFromJson, fieldsToJson, load, readJson, wireType } from './support/vectors.js';

const COUNTS = { valid: 626, encoded: 588, invalid: 1694 };
const { MESSAGES } = messages;

/** The requests with the tags that all of them have: the client writes these with the frame. */
const REQUESTS = new Map(Object.values(MESSAGES).map(({ name, request }) => [name, new Layout({
  ...request.description, tags: [...messages.COMMON_TAGS, ...request.description.tags],
})]));

/** The layout of a frame; undefined for one that its receiver skips. */
function layoutOf(from, { kind, flags, opcode }) {
  const known = messages.BY_OPCODE.get(opcode);
  if (kind === ERROR) return { name: 'error', layout: messages.ERROR };
  if (flags >> 4) return undefined;
  if (kind === CONTROL && opcode === messages.PING_OPCODE) return { name: 'ping', layout: messages.PING };
  if (kind === CONTROL && opcode === messages.GOAWAY_OPCODE && from === 'server') {
    return { name: 'goaway', layout: messages.GOAWAY };
  }
  if (kind === CONTROL && opcode === messages.POSITION_OPCODE) return { name: 'position', layout: messages.POSITION };
  if (kind === EVENT && opcode === messages.EVENT_OPCODE) return { name: 'event', layout: messages.EVENT };
  if (kind === REQUEST && known) return { name: known.name, layout: REQUESTS.get(known.name) };
  if (kind === ANSWER && known) return { name: known.name, layout: known.answer };
  return undefined;
}

test('the tables are those of layouts.json', () => {
  const data = readJson('layouts.json');
  const wire = ({ fixed, tags, untagged }) => ({
    fixed: fixed.map(([name, type]) => [name, wireType(type)]),
    ...(tags.length ? { tags: tags.map(([tag, name, type]) => [tag, name, wireType(type)]) } : {}),
    ...(untagged ? { untagged } : {}),
  });
  assert.deepEqual(ENUMERATIONS, data.enumerations);
  assert.deepEqual(messages.COMMON_TAGS, data.common_tags);
  assert.deepEqual(Object.values(MESSAGES).map(({ name, opcode, repeat, request, answer }) => ({
    name, opcode, repeat, request: wire(request.description), answer: wire(answer.description),
  })), data.requests);
  assert.deepEqual({ opcode: messages.EVENT_OPCODE, ...wire(messages.EVENT.description) }, data.event);
  assert.deepEqual({ opcode: messages.GOAWAY_OPCODE, ...wire(messages.GOAWAY.description) }, data.goaway);
  assert.deepEqual({ opcode: messages.PING_OPCODE, ...wire(messages.PING.description) }, data.ping);
  assert.deepEqual({ opcode: messages.POSITION_OPCODE, ...wire(messages.POSITION.description) }, data.position);
  assert.deepEqual(wire(messages.ERROR.description), data.error);
});

test('valid frames decode to their fields', () => {
  const cases = load('valid');
  assert.equal(cases.length, COUNTS.valid);
  for (const { name, from, hex, frame: header, message, fields, unknown_tags: unknownTags = [] } of cases) {
    const bytes = Buffer.from(hex, 'hex');
    const found = getHeader(bytes, 0);
    assert.deepEqual({ ...found, id: Number(header.id) }, { length: bytes.length - HEADER_SIZE, ...header,
      id: found.id }, name);
    const known = layoutOf(from, found);
    assert.equal(known?.name ?? 'ignored', message, name);
    if (!known) continue;
    const unknown = [];
    const reader = new Reader(true).attach(bytes);
    reader.position = HEADER_SIZE;
    const read = known.layout.read(reader, (tag, raw) => unknown.push({ tag, hex: Buffer.from(raw).toString('hex') }));
    assert.deepEqual(fieldsToJson(known.layout, read), fields, name);
    assert.deepEqual(unknown, unknownTags, name);
  }
});

test('valid fields encode to their bytes', () => {
  let encoded = 0;
  for (const { name, from, hex, frame: header, fields, ...more } of load('valid')) {
    if (more.decode_only || more.unknown_tags) continue;
    const { layout } = layoutOf(from, header);
    const bytes = frame({ ...header, id: Number(header.id) }, layout.encode(fieldsFromJson(layout, fields)));
    // A number has no place for ids of 2⁵³ and more. The client makes none.
    if (Number.isSafeInteger(Number(header.id))) assert.equal(Buffer.from(bytes).toString('hex'), hex, name);
    encoded++;
  }
  assert.equal(encoded, COUNTS.encoded);
});

test('every message and every field has a vector', () => {
  const cases = load('valid');
  const seen = (from, name) => new Set(cases.filter((each) => each.from === from && each.message === name)
    .flatMap((each) => Object.keys(each.fields)));
  for (const { name, answer } of Object.values(MESSAGES)) {
    assert.deepEqual([...seen('client', name)].sort(), names(REQUESTS.get(name)), name);
    assert.deepEqual([...seen('server', name)].sort(), names(answer), name);
  }
});

const names = (layout) => [...layout.fixed, ...layout.tags].map((field) => field.name).sort();

test('a payload that is cut short is malformed, or ends with its fixed part', () => {
  let checked = 0;
  for (const { name, from, hex, frame: header, fields, ...more } of load('valid')) {
    const known = layoutOf(from, header);
    if (!known || more.decode_only || hex.length > 1400) continue;
    const payload = Buffer.from(hex, 'hex').subarray(HEADER_SIZE);
    const fixed = new Layout({ ...known.layout.description, tags: [] });
    const end = fixed.encode(fieldsFromJson(known.layout, fields)).length;
    for (let size = 0; size < payload.length; size++) {
      const read = () => known.layout.read(new Reader(true).attach(payload.subarray(0, size)));
      if (size === end) read();
      else assert.throws(read, MalformedError, `${name}, ${size} bytes`);
      checked++;
    }
  }
  assert.ok(checked > 10_000);
});

test('of the invalid requests the codec finds those with a form that cannot be read', () => {
  const cases = load('invalid');
  assert.equal(cases.length, COUNTS.invalid);
  const counts = { form: 0, tag: 0, value: 0, header: 0 };
  for (const { name, phase, hex, expect } of cases) {
    const bytes = Buffer.from(hex, 'hex');
    // The server judges headers and phases of requests, a client those of answers: see session.test.js.
    const hasHeader = phase !== 'preface' && bytes.length >= HEADER_SIZE;
    const known = hasHeader ? layoutOf('client', getHeader(bytes, 0)) : undefined;
    if (!known || expect.scope !== 'request' || getHeader(bytes, 0).length !== bytes.length - HEADER_SIZE) {
      counts.header++;
      continue;
    }
    const odd = [];
    const reader = new Reader(true).attach(bytes);
    reader.position = HEADER_SIZE;
    const read = () => known.layout.read(reader, (tag) => odd.push(tag % 2));
    if (expect.code === 'MALFORMED') {
      assert.throws(read, MalformedError, name);
      counts.form++;
    } else {
      read();
      assert.equal(odd.includes(1), expect.code === 'UNSUPPORTED_FIELD', name);
      counts[expect.code === 'UNSUPPORTED_FIELD' ? 'tag' : 'value']++;
    }
  }
  assert.deepEqual(counts, { form: 659, tag: 52, value: 839, header: 144 });
});

test('a value that cannot be written is refused with its field', () => {
  const { request } = MESSAGES.send;
  const good = { app: 'a', key: '00112233-4455-6677-8899-aabbccddeeff', pushType: 'alert', priority: 0,
    audience: 'all', devices: [], payload: new Uint8Array() };
  request.encode(good);
  for (const [key, values] of Object.entries({
    app: [7, 'a\0b', '\ud800', 'x'.repeat(65_536), undefined], key: ['x', 7], pushType: ['alarm', -1, 256, 1.5],
    priority: [-1, 256, 1.5, Number.NaN, '5', 5n], devices: [7, [{}], [{ id: -1n }], [{ id: 2n ** 64n }],
      [{ id: 1n, token: 'ab' }], [{ token: '' }], [{ token: 'abc' }], [{ token: 'ab', kin: 'voip' }],
      [{ token: new Uint8Array(256) }], [{ id: 1.5 }], [null]],
    payload: ['x', 7, [1]], sendAt: [new Date(Number.NaN), -1, 0.5, '2026'], dryRun: ['yes', {}, 256],
    lane: ['fast'], groups: ['a', [7]],
  })) {
    for (const value of values) {
      assert.throws(() => request.encode({ ...good, [key]: value }), UnencodableError, `${key} ${String(value)}`);
    }
  }
});

test('the largest u64 survives, and a count or a time beyond its type does not', () => {
  const layout = MESSAGES.lookup.answer;
  const answer = { deviceId: 2n ** 64n - 1n, environment: 'sandbox', kind: 200, token: Uint8Array.of(1),
    registeredAt: new Date(8.64e15), seenAt: undefined, state: 'active', muted: true };
  assert.deepEqual(layout.read(new Reader().attach(layout.encode(answer))), answer);
  const status = MESSAGES.update_group.answer;
  assert.deepEqual(status.read(new Reader().attach(Buffer.from('001fffffffffffff', 'hex'))), { devices: 2 ** 53 - 1 });
  assert.throws(() => status.read(new Reader().attach(Buffer.from('0020000000000000', 'hex'))), MalformedError);
});
