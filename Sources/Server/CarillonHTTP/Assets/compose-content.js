// The content of a new message: a body for each language and the fields of all of them, or the payload as JSON.
import { el, card, field, select, button, buttonRow, checkbox, fieldGroup, wide, column } from './dom.js';

export const textInput = (options = {}) => el('input', { autocomplete: 'off', ...options });

/** The texts of a body. */
const TEXTS = ['title', 'subtitle', 'body'];

/** The fields of one body; the default body is for every other language. */
function bodyFields(onInput, isDefault) {
  const inputs = {
    language: textInput({ maxlength: '35', placeholder: 'zh-Hant' }),
    title: textInput(),
    subtitle: textInput(),
    body: el('textarea', { rows: '3' }),
  };
  for (const each of Object.values(inputs)) each.addEventListener('input', onInput);
  const node = fieldGroup(isDefault ? null : field('Language', inputs.language), field('Title', inputs.title),
    field('Subtitle', inputs.subtitle), wide(field('Body', inputs.body)));
  return { node, inputs, hasText: () => TEXTS.some((name) => inputs[name].value) };
}

/** The bodies of single languages, and the button that adds one. */
function languageBodies(onChange) {
  const bodies = [];
  const node = column();
  function remove(body, block) {
    bodies.splice(bodies.indexOf(body), 1);
    block.remove();
    onChange();
  }
  function add() {
    const body = bodyFields(onChange, false);
    const block = el('fieldset', { class: 'card' }, el('legend', {}, 'Language'), body.node,
      buttonRow(button('Remove', () => remove(body, block), 'quiet')));
    bodies.push(body);
    node.append(block);
    body.inputs.language.focus();
    onChange();
  }
  return { node, addButton: button('Add a language', add), written: () => bodies.filter((each) => each.hasText()) };
}

/** The fields of the payload that all languages share. */
function sharedFields(onInput) {
  const inputs = {
    badge: textInput({ type: 'number', min: '0' }),
    sound: textInput({ placeholder: 'default' }),
    thread: textInput(),
    category: textInput(),
    level: select([['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical']),
    data: el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', placeholder: '{"type": "raid"}' }),
  };
  for (const each of Object.values(inputs)) each.addEventListener('input', onInput);
  const node = el('details', { class: 'wide' }, el('summary', {}, 'More fields'), fieldGroup(
    field('Badge', inputs.badge), field('Sound', inputs.sound), field('Thread', inputs.thread),
    field('Category', inputs.category), field('Interruption level', inputs.level),
    wide(field('Data of the app, as JSON', inputs.data))));
  return { node, inputs };
}

/** The dictionary `aps` of a visible push. */
function visibleAPS(texts, shared) {
  const aps = {};
  const alert = {};
  for (const name of TEXTS) if (texts[name].value) alert[name] = texts[name].value;
  if (Object.keys(alert).length) aps.alert = alert;
  if (shared.badge.value) aps.badge = Number(shared.badge.value);
  if (shared.sound.value) aps.sound = shared.sound.value;
  if (shared.thread.value) aps['thread-id'] = shared.thread.value;
  if (shared.category.value) aps.category = shared.category.value;
  if (shared.level.value) aps['interruption-level'] = shared.level.value;
  return aps;
}

/** The data of the app beside `aps`. Throws a text if they cannot be used. */
function appData(text) {
  if (!text.trim()) return {};
  let data;
  try { data = JSON.parse(text); } catch { throw new Error('The data of the app is not JSON.'); }
  if (typeof data !== 'object' || Array.isArray(data) || !data) {
    throw new Error('The data of the app must be an object.');
  }
  return data;
}

/** The inputs of the content, and the payloads that they describe. The functions throw a text if a field is wrong. */
function contentInputs(onChange) {
  const defaultBody = bodyFields(onChange, true);
  const languages = languageBodies(onChange);
  const shared = sharedFields(onChange);
  const pushType = select([['alert', 'alert: shown to the user'], ['background', 'background: silent']]);
  const raw = el('input', { type: 'checkbox' });
  const rawText = el('textarea', {
    class: 'mono', rows: '12', spellcheck: 'false', 'aria-label': 'Payload as JSON',
  });
  for (const each of [rawText, pushType]) each.addEventListener('input', onChange);
  const isSilent = () => pushType.value === 'background';

  function bodyPayload({ inputs }) {
    const aps = isSilent() ? { 'content-available': 1 } : visibleAPS(inputs, shared.inputs);
    return { ...appData(shared.inputs.data.value), aps };
  }
  function defaultPayload() {
    if (!raw.checked) return bodyPayload(defaultBody);
    try { return JSON.parse(rawText.value); } catch (problem) {
      throw new Error(`The payload is not JSON: ${problem.message}`);
    }
  }
  raw.addEventListener('change', () => {
    if (raw.checked) {
      try { rawText.value = JSON.stringify(bodyPayload(defaultBody), null, 2); } catch { /* The text stays. */ }
    }
    onChange();
  });
  return {
    pushType, raw, rawText, defaultBody, languages, shared, isSilent, bodyPayload, defaultPayload,
    languageBodies: () => (raw.checked ? [] : languages.written()),
  };
}

/** The part of a SEND that is about its content. */
function requestPart(inputs) {
  const bodies = inputs.languageBodies();
  const part = {};
  if (inputs.raw.checked || inputs.isSilent() || inputs.defaultBody.hasText() || !bodies.length) {
    part.payload = inputs.defaultPayload();
  }
  if (bodies.length) {
    part.bodies = bodies.map((each) => (
      { language: each.inputs.language.value.trim(), payload: inputs.bodyPayload(each) }));
  }
  return part;
}

/** The content as the preview shows it: incomplete languages too. */
function previewed(inputs) {
  const payload = inputs.defaultPayload();
  const bodies = inputs.languageBodies().map((each) => (
    { language: each.inputs.language.value || '?', payload: inputs.bodyPayload(each) }));
  return { payload, bodies };
}

/** The form for the content. Its functions throw a text if a field cannot be used. */
export function contentForm(onChange) {
  const inputs = contentInputs(onChange);
  const { pushType, raw, rawText, defaultBody, languages, shared } = inputs;
  defaultBody.node.classList.add('wide');
  const written = fieldGroup(defaultBody.node, wide(languages.node),
    el('div', { class: 'buttons wide' }, languages.addButton), shared.node);
  const choices = fieldGroup(field('Push type', pushType), el('div', {}, checkbox('Write the payload as JSON', raw)));
  return {
    node: card('Content', choices, written, rawText),
    pushType: () => pushType.value,
    showKind() {
      written.hidden = raw.checked;
      rawText.hidden = !raw.checked;
    },
    previewed: () => previewed(inputs),
    requestPart: () => requestPart(inputs),
  };
}
