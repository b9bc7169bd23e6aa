/**
 * The rules of payloads (§16.4 of the protocol), as the server judges them.
 *
 * @module
 */
import { invalidArgument } from '../errors.js';

const isNumber = (value, least = -Infinity, most = Infinity) => (typeof value === 'number' || typeof value === 'bigint')
  && value >= least && value <= most;
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const isWhole = (value) => typeof value === 'bigint' || Number.isInteger(value);

/** A rule: a test, its wording, and the rules of the keys of an object. */
const TEXT = [isText, 'a string'];
const TEXTS = [areTexts, 'an array of strings'];
const TEXT_OR_NULL = [(value) => value === null || isText(value), 'a string or null'];
const TEXTS_OR_NULL = [(value) => value === null || areTexts(value), 'an array of strings or null'];
const COUNT = [(value) => isNumber(value, 0) && isWhole(value), 'a whole number, 0 or more'];
const NUMBER = [isNumber, 'a number'];
const FRACTION = [(value) => isNumber(value, 0, 1), 'a number from 0 to 1'];
const TIME = [(value) => isNumber(value, 0), 'a number, 0 or more'];
const FLAG = [(value) => isNumber(value, 0, 1) && isWhole(value), 'the number 1 or 0'];
const YES = [(value) => value === true, 'true'];
const OBJECT = [isObject, 'an object'];
const oneOf = (...words) => [(value) => words.includes(value), `one of ${words.join(', ')}`];
const textOr = (keys) => [(value) => isText(value) || isObject(value), 'a string or an object', keys];

const EVENTS = ['start', 'update', 'end'];
const SOUND = textOr({ critical: FLAG, name: TEXT, volume: FRACTION });
const LOCALIZED = textOr({ 'loc-key': TEXT, 'loc-args': TEXTS });
const COMMON = {
  badge: COUNT, sound: SOUND, 'thread-id': TEXT, category: TEXT, 'content-available': FLAG, 'mutable-content': FLAG,
  'interruption-level': oneOf('passive', 'active', 'time-sensitive', 'critical'), 'target-content-id': TEXT,
  'filter-criteria': TEXT, 'content-changed': YES, 'url-args': TEXTS,
};
const GENERAL = {
  alert: textOr({
    title: TEXT, 'title-loc-key': TEXT_OR_NULL, 'title-loc-args': TEXTS_OR_NULL, subtitle: TEXT,
    'subtitle-loc-key': TEXT_OR_NULL, 'subtitle-loc-args': TEXTS_OR_NULL, body: TEXT, 'loc-key': TEXT_OR_NULL,
    'loc-args': TEXTS_OR_NULL, 'launch-image': TEXT,
  }),
  'relevance-score': FRACTION, ...COMMON,
};
const LIVE_ACTIVITY = {
  alert: textOr({ title: LOCALIZED, subtitle: LOCALIZED, body: LOCALIZED, sound: SOUND }),
  'relevance-score': NUMBER, timestamp: TIME, event: oneOf(...EVENTS), 'content-state': OBJECT, 'stale-date': TIME,
  'dismissal-date': TIME, 'attributes-type': TEXT, attributes: OBJECT, 'input-push-channel': TEXT,
  'input-push-token': FLAG, ...COMMON,
};

/**
 * The largest number of bytes of a payload of the push type for devices (§10.1). A broadcast push could have 5120
 * bytes, but a notification does not know its audience: it has this limit, too.
 *
 * @param {string} pushType
 */
export function payloadLimit(pushType) {
  return pushType === 'voip' ? 5120 : 4096;
}

/**
 * INVALID_ARGUMENT with the path of the first fault.
 *
 * @param {Record<string, any>} payload
 * @param {string} pushType
 */
export function checkPayload(payload, pushType) {
  const aps = payload.aps ?? {};
  const need = (fits, name, text) => {
    if (!fits) throw invalidArgument(`payload.${name}`, text);
  };
  if (pushType === 'background') {
    need(isNumber(aps['content-available'], 1, 1), 'aps.content-available', 'must be the number 1');
    for (const name of ['alert', 'badge', 'sound']) {
      need(!(name in aps), `aps.${name}`, 'a background push must not have it');
    }
  } else if (pushType === 'fileprovider') {
    need(!('aps' in payload), 'aps', 'a fileprovider push must not have it');
    for (const name of ['container-identifier', 'domain']) need(isText(payload[name]), name, 'must be a string');
  } else if (pushType === 'mdm') {
    need(isText(payload.mdm), 'mdm', 'must be a string');
  } else if (pushType === 'liveactivity') {
    checkLiveActivity(aps, need);
  } else if (pushType === 'widgets' || pushType === 'controls') {
    need(aps['content-changed'] === true, 'aps.content-changed', 'must be true');
  }
  checkKeys(aps, pushType === 'liveactivity' ? LIVE_ACTIVITY : GENERAL, 'payload.aps');
}

function checkLiveActivity(aps, need) {
  need(isNumber(aps.timestamp), 'aps.timestamp', 'must be a number');
  need(EVENTS.includes(aps.event), 'aps.event', `must be one of ${EVENTS.join(', ')}`);
  need(aps.event === 'end' || isObject(aps['content-state']), 'aps.content-state', 'must be an object');
  for (const name of ['attributes-type', 'attributes', 'alert']) {
    need(aps.event !== 'start' || name in aps, `aps.${name}`, 'a start needs it');
  }
}

function checkKeys(members, keys, path) {
  for (const [name, [fits, wording, inner]] of Object.entries(keys)) {
    if (!(name in members)) continue;
    if (!fits(members[name])) throw invalidArgument(`${path}.${name}`, `must be ${wording}`);
    if (inner !== undefined && isObject(members[name])) checkKeys(members[name], inner, `${path}.${name}`);
  }
}
