/**
 * Payloads made of fields (`Payloads.md`), and payloads as a program gives them.
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { TextBytes } from '../codec/wire.js';
import { CarillonError, invalidArgument } from '../errors.js';
import { Members, checkMembers } from '../options.js';
import { writeJson } from './json.js';
import { checkPayload, payloadLimit } from './rules.js';

const TEXTS = ['title', 'subtitle', 'body'];
const TRANSLATED = new Members([...TEXTS, 'launchImage']);
const LIVE_ACTIVITY = new Members(['timestamp', 'event', 'contentState', 'staleDate', 'dismissalDate', 'attributesType',
  'attributes', 'inputPushChannel', 'inputPushToken']);
const FIELDS = new Members([...TRANSLATED, 'badge', 'sound', 'threadId', 'category', 'contentAvailable',
  'mutableContent', 'interruptionLevel', 'relevanceScore', 'targetContentId', 'filterCriteria', 'contentChanged',
  'urlArgs', 'liveActivity', 'mdm', 'data']);
const LANGUAGE = /^[A-Za-z0-9-]{2,35}$/;

/** The payload of a notification, which must not be changed. Set by its class. */
let written;

/** The content of a push, in the fields of APNs. A field that is not set is not in the payload. */
export class Notification {
  // Private, so that no printed form contains a payload (CONTRACT.md, TLS-4).
  #fields;
  /** True if nothing of it can change later: it has only texts, numbers and flags. */
  #isConstant;
  /** The last payload that was made of constant fields, and its push type. */
  #last;

  static {
    written = (notification, pushType) => notification.#written(pushType);
  }

  /** @param {Record<string, any>} fields */
  constructor(fields) {
    checkMembers(fields, FIELDS);
    if (fields.liveActivity !== undefined) checkMembers(fields.liveActivity, LIVE_ACTIVITY);
    this.#fields = { ...fields };
    this.#isConstant = Object.values(fields).every((value) => typeof value !== 'object');
  }

  /**
   * The JSON for a push type. INVALID_ARGUMENT with the path of the first fault.
   *
   * @param {string} [pushType]
   * @returns {Uint8Array}
   */
  payload(pushType = 'alert') {
    return new Uint8Array(this.#written(pushType));
  }

  /** The same, made once for all messages that have this notification. */
  #written(pushType) {
    if (this.#last?.pushType === pushType) return this.#last.bytes;
    const bytes = this.#write(pushType);
    if (this.#isConstant) this.#last = { pushType, bytes };
    return bytes;
  }

  #write(pushType) {
    const { data = {}, mdm } = this.#fields;
    for (const name of mdm === undefined ? ['aps'] : ['aps', 'mdm']) {
      if (name in data) throw invalidArgument(`data.${name}`, 'the name is not free');
    }
    const aps = this.#aps();
    const payload = { ...data, ...(Object.keys(aps).length > 0 ? { aps } : {}), ...(mdm === undefined ? {} : { mdm }) };
    const bytes = Buffer.from(writeJson(payload), 'utf8');
    const limit = payloadLimit(pushType);
    if (bytes.length > limit) {
      throw invalidArgument('payload', `${bytes.length} bytes; the limit is ${limit}`).with({ limit });
    }
    checkPayload(payload, pushType);
    return bytes;
  }

  /**
   * The default payload and those of the languages, ascending by tag in small letters (`Payloads.md` §5).
   *
   * @param {Record<string, object>} translations by language tag: the fields that differ
   * @param {{pushType?: string, defaultBody?: boolean}} [options]
   * @returns {{payload?: Uint8Array, bodies: {language: string, payload: Uint8Array}[]}}
   */
  localized(translations, { pushType = 'alert', defaultBody = true } = {}) {
    const payload = defaultBody ? this.payload(pushType) : undefined;
    const bodies = [];
    for (const language of sortedLanguages(Object.keys(translations))) {
      bodies.push({ language, payload: this.#translated(language, translations[language], pushType) });
    }
    return { payload, bodies };
  }

  #translated(language, fields, pushType) {
    const place = `bodies.${language}`;
    try {
      checkMembers(fields, TRANSLATED);
      return new Notification({ ...this.#fields, ...fields }).payload(pushType);
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error;
      const { field } = error;
      const path = field.startsWith('payload') ? field.slice('payload'.length) : field.startsWith('data.') ? undefined
        : `.${field}`;
      throw path === undefined ? error : error.with({ field: place + path });
    }
  }

  #aps() {
    const fields = this.#fields;
    const alert = this.#alert();
    const sound = soundMember(fields.sound);
    const aps = {
      alert, badge: fields.badge, 'thread-id': fields.threadId, category: fields.category,
      'content-available': flag(fields.contentAvailable), 'mutable-content': flag(fields.mutableContent),
      'interruption-level': fields.interruptionLevel, 'relevance-score': fields.relevanceScore,
      'target-content-id': fields.targetContentId, 'filter-criteria': fields.filterCriteria,
      'content-changed': fields.contentChanged ? true : undefined, 'url-args': fields.urlArgs,
    };
    if (fields.liveActivity === undefined) {
      aps.sound = sound;
    } else {
      Object.assign(aps, liveActivityMembers(fields.liveActivity));
      if (alert === undefined && sound !== undefined) {
        throw invalidArgument('payload.aps.sound', 'the sound of a Live Activity needs an alert');
      }
      if (fields.launchImage !== undefined) {
        throw invalidArgument('payload.aps.alert.launch-image', 'the alert of a Live Activity has none');
      }
    }
    return withoutUndefined(aps);
  }

  #alert() {
    const { launchImage, liveActivity, sound } = this.#fields;
    const texts = TEXTS.filter((name) => this.#fields[name] !== undefined).map((name) => [name, this.#fields[name]]);
    if (liveActivity !== undefined) {
      if (texts.length === 0) return undefined;
      const alert = Object.fromEntries(texts.map(([name, text]) => [name, isLocalized(text) ? localized(text) : text]));
      return withoutUndefined({ ...alert, sound: soundMember(sound) });
    }
    const alert = withoutUndefined({ 'launch-image': launchImage });
    for (const [name, text] of texts) {
      if (!isLocalized(text)) {
        alert[name] = text;
        continue;
      }
      const prefix = name === 'body' ? '' : `${name}-`;
      for (const [key, value] of Object.entries(localized(text))) alert[prefix + key] = value;
    }
    const names = Object.keys(alert);
    if (names.length === 0) return undefined;
    return names.length === 1 && names[0] === 'body' ? alert.body : alert;
  }
}

/** The members of an object that have a value. */
function withoutUndefined(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

const flag = (value) => (value ? 1 : undefined);
const isLocalized = (text) => typeof text === 'object' && text !== null;

function localized({ locKey, locArgs = [] }) {
  return { 'loc-key': locKey, ...(locArgs.length > 0 ? { 'loc-args': locArgs } : {}) };
}

function soundMember(sound) {
  if (sound === undefined || typeof sound === 'string') return sound;
  return withoutUndefined({ critical: 1, name: sound.name, volume: sound.volume });
}

/** Whole seconds since 1970. */
function seconds(time) {
  return time instanceof Date ? Math.floor(time.getTime() / 1000) : time;
}

function liveActivityMembers(activity) {
  return {
    timestamp: seconds(activity.timestamp), event: activity.event, 'content-state': activity.contentState,
    'stale-date': seconds(activity.staleDate), 'dismissal-date': seconds(activity.dismissalDate),
    'attributes-type': activity.attributesType, attributes: activity.attributes,
    'input-push-channel': activity.inputPushChannel, 'input-push-token': flag(activity.inputPushToken),
  };
}

/** The tags in their order; INVALID_ARGUMENT for one that is none or that occurs twice. */
function sortedLanguages(tags) {
  const key = (tag) => `${tag.toLowerCase()}\0${tag}`;
  const sorted = [...tags].sort((one, other) => (key(one) < key(other) ? -1 : 1));
  sorted.forEach((tag, index) => {
    if (!LANGUAGE.test(tag)) throw invalidArgument(`bodies.${tag}`, 'must be a language tag (RFC 5646)');
    if (index > 0 && sorted[index - 1].toLowerCase() === tag.toLowerCase()) {
      throw invalidArgument(`bodies.${tag}`, 'the language occurs twice');
    }
  });
  return sorted;
}

/**
 * A payload as a field of bytes: bytes and texts as they are, a JSON value in the form of `Payloads.md` §4 (PAY-2).
 *
 * @param {any} value
 * @param {string} field
 * @returns {Uint8Array|TextBytes}
 */
export function payloadField(value, field) {
  if (typeof value === 'string') return new TextBytes(value);
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidArgument(field, 'must be a Notification, a JSON object, a text or a Uint8Array');
  }
  return new TextBytes(writeJson(value, field));
}

/**
 * The payload of a request and its bodies in other languages (PAY-3).
 *
 * @param {{payload?: any, bodies?: Record<string, any>, defaultBody?: boolean}} content
 * @param {string} field that of the payload
 * @param {string} pushType
 * @returns {{payload?: Uint8Array|TextBytes, bodies?: {language: string, payload: Uint8Array|TextBytes}[]}}
 */
export function contentOf({ payload, bodies, defaultBody = true }, field, pushType) {
  const isObject = typeof bodies === 'object' && !Array.isArray(bodies);
  if (bodies !== undefined && (!isObject || Object.keys(bodies).length === 0)) {
    throw invalidArgument('bodies', 'must be an object of at least one language');
  }
  if (payload instanceof Notification) {
    if (bodies === undefined) return { payload: written(payload, pushType) };
    return payload.localized(bodies, { pushType, defaultBody });
  }
  if (!defaultBody) throw invalidArgument('default_body', 'belongs to a Notification; leave the payload out');
  return {
    payload: payload === undefined ? undefined : payloadField(payload, field),
    bodies: bodies === undefined ? undefined : sortedLanguages(Object.keys(bodies)).map((language) => ({
      language, payload: payloadField(bodies[language], `bodies.${language}`),
    })),
  };
}
