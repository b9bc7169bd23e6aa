/** Payloads.md: the vectors, and what a language must judge itself. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { CarillonError } from '../src/errors.js';
import { camelCase } from '../src/codec/types.js';
import { writeJson } from '../src/payload/json.js';
import { Notification } from '../src/payload/notification.js';
import { VECTORS } from './support/vectors.js';

const COUNT = 95;
const text = (bytes) => new TextDecoder().decode(bytes);

/** JSON whose whole numbers of up to 64 bits are bigints, as `vectors/README.md` asks for. */
function parseExactly(source) {
  // Numbers become texts with a mark that no vector has. The source of a number is not known to JSON.parse of Node.js
  // 18.
  const marked = source.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (token) => (token.startsWith('"') ? token : `"#n:${token}"`));
  return JSON.parse(marked, (_, value) => (typeof value === 'string' && value.startsWith('#n:')
    ? numberOf(value.slice(3)) : value));
}

function numberOf(digits) {
  if (!/^-?\d+$/.test(digits) || digits === '-0') return Number(digits);
  const whole = BigInt(digits);
  return whole >= -(2n ** 63n) && whole < 2n ** 63n ? whole : Number(digits);
}

/** The fields of a row with the names of this client. Only the values of `data` and the like keep bigints. */
function fieldsOf(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), fieldOf(name, value)]));
}

function fieldOf(name, value) {
  if (name === 'live_activity') return fieldsOf(value);
  if (['title', 'subtitle', 'body'].includes(name) && typeof value === 'object') return fieldsOf(value);
  return value;
}

function special(path, value) {
  if (path.length > 0) {
    const inner = special(path.slice(1), value);
    return typeof path[0] === 'string' ? { [path[0]]: inner } : [inner];
  }
  if (value.startsWith('nested-')) {
    let nested = [];
    for (let depth = 1; depth < Number(value.slice(7)); depth++) nested = [nested];
    return nested;
  }
  return { nan: Number.NaN, infinity: Infinity, '-infinity': -Infinity, 'lone-surrogate': '\ud800',
    'lone-surrogate-name': { '\ud800': 1 } }[value];
}

const rows = parseExactly(readFileSync(new URL('payloads.json', VECTORS), 'utf8'));

test('all rows give their bytes or their fault', () => {
  assert.equal(rows.length, COUNT);
  for (const row of rows) {
    const fields = fieldsOf(row.fields);
    if (row.special) fields.data = special(row.special.path, row.special.value);
    const result = () => {
      const notification = new Notification(fields);
      if (!row.translations) return { payload: text(notification.payload(row.push_type)) };
      const translations = Object.fromEntries(
        Object.entries(row.translations).map(([tag, each]) => [tag, fieldsOf(each)]));
      const found = notification.localized(translations, { pushType: row.push_type, defaultBody: row.default });
      return { payload: found.payload === undefined ? null : text(found.payload),
        bodies: found.bodies.map(({ language, payload }) => [language, text(payload)]) };
    };
    if (row.fault !== undefined) {
      assert.throws(result, (error) => error instanceof CarillonError && error.code === 'INVALID_ARGUMENT'
        && error.field === row.fault, row.name);
    } else {
      const expected = { payload: row.payload, ...(row.bodies ? { bodies: row.bodies } : {}) };
      assert.deepEqual(result(), expected, row.name);
    }
  }
});

test('a value that is not JSON is refused with its path', () => {
  for (const [value, field] of [
    [{ a: undefined }, 'payload.a'], [{ a: [() => 1] }, 'payload.a'], [{ a: new Date() }, 'payload.a'],
    [{ a: { b: Symbol('x') } }, 'payload.a.b'], [{ a: new Map() }, 'payload.a'],
  ]) {
    assert.throws(() => writeJson(value), { code: 'INVALID_ARGUMENT', field });
  }
  assert.equal(writeJson(Object.assign(Object.create(null), { b: 1n, a: -0 })), '{"a":0,"b":1}');
});

test('unknown fields and fields without a value are refused', () => {
  for (const [fields, field] of [[{ bdy: 'x' }, 'bdy'], [{ body: undefined }, 'body'], [{ badge: Number.NaN }, 'badge'],
    [{ body: null }, 'body'], [{ liveActivity: { evnt: 'end' } }, 'evnt']]) {
    assert.throws(() => new Notification(fields), { code: 'INVALID_ARGUMENT', field });
  }
  assert.throws(() => new Notification({ body: 'x' }).localized({ de: { badge: 1 } }), { field: 'bodies.de.badge' });
});

test('no printed form has the text', () => {
  assert.doesNotMatch(inspect(new Notification({ body: 'secret words' }), { depth: 9, showHidden: true }), /secret/);
});

test('a payload is made once for many messages, and never after what it was made of has changed', () => {
  const constant = new Notification({ body: 'Hello' });
  const returned = constant.payload();
  returned.fill(0);
  assert.equal(text(constant.payload()), '{"aps":{"alert":"Hello"}}');
  // The rules are those of the push type each time.
  assert.throws(() => constant.payload('background'), { code: 'INVALID_ARGUMENT' });
  const data = { round: 1 };
  const changing = new Notification({ body: 'Hello', data });
  assert.equal(text(changing.payload()), '{"aps":{"alert":"Hello"},"round":1}');
  data.round = 2;
  assert.equal(text(changing.payload()), '{"aps":{"alert":"Hello"},"round":2}');
});
