// A new message: content, languages, audience, time, pace; dry run, a test to one device, then the send.
import { el, card, field, select, button, setText, number, counted, confirm, timeText } from './dom.js';
import { call, sentence } from './api.js';
import { conditionField } from './condition.js';
import { phones } from './phone.js';
import { device } from './trace.js';

/** Above this number of devices it must be typed. */
const TYPED_FROM = 100;

const check = (label, input) => el('label', { class: 'check' }, input, label);
const text = (options = {}) => el('input', { autocomplete: 'off', ...options });

/** The fields of one body. */
function content(changed, isDefault) {
  const inputs = {
    language: text({ maxlength: '35', placeholder: 'zh-Hant' }), title: text(), subtitle: text(), body: el('textarea', { rows: '3' }),
  };
  for (const each of Object.values(inputs)) each.addEventListener('input', changed);
  const node = el('div', { class: 'fields' }, isDefault ? null : field('Language', inputs.language), field('Title', inputs.title), field('Subtitle', inputs.subtitle), el('div', { class: 'wide' }, field('Body', inputs.body)));
  return { node, inputs };
}

function show(main, { parameters, signal, context }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const done = el('p', { class: 'fine', role: 'status', hidden: true });
  const dry = el('p', { role: 'status', class: 'notice', hidden: true });
  const pushType = select([['alert', 'alert: shown to the user'], ['background', 'background: silent']]);
  const raw = el('input', { type: 'checkbox' });
  const rawText = el('textarea', { class: 'mono', rows: '12', spellcheck: 'false', 'aria-label': 'Payload as JSON' });
  const main_ = content(changed, true);
  const languages = [];
  const languageList = el('div', { class: 'phones' });
  const options = {
    badge: text({ type: 'number', min: '0' }), sound: text({ placeholder: 'default' }), thread: text(), category: text(),
    level: select([['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical']), collapse: text({ maxlength: '64' }),
    data: el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', placeholder: '{"type": "raid"}' }),
  };
  const audience = select([['topic', 'a topic'], ['groups', 'groups'], ['condition', 'a condition'], ['devices', 'devices'], ['all', 'every device of the app']], parameters.get('condition') ? 'condition' : 'topic');
  const topic = text({ maxlength: '200', spellcheck: 'false' });
  const groups = text({ placeholder: 'user/42 user/43', spellcheck: 'false' });
  const devices = el('textarea', { class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them' });
  const condition = conditionField(context, signal, { value: parameters.get('condition') ?? '' });
  const label = text({ maxlength: '100', placeholder: 'for listings and the log' });
  const lane = select([['bulk', 'bulk: a broadcast'], ['interactive', 'interactive: a user waits']]);
  const pace = text({ type: 'number', min: '1', placeholder: 'no bound' });
  const at = text({ type: 'datetime-local' });
  const expiry = select([['', 'its default'], ['0', 'not stored'], ['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week']]);
  const self = text({ value: localStorage.getItem('carillon-test-device') ?? '', spellcheck: 'false', placeholder: 'your device: id or token' });
  const preview = el('div', { class: 'phones' });
  const size = el('p', { class: 'soft' });
  const audienceFields = { topic: field('Topic', topic), groups: field('Groups', groups), condition: el('div', { class: 'wide' }, condition.node, condition.count), devices: el('div', { class: 'wide' }, field('Devices', devices)), all: el('p', { class: 'soft' }, 'Every registered device gets it.') };
  const fields = el('div', { class: 'fields' }, main_.node, el('div', { class: 'wide' }, languageList), el('div', { class: 'buttons wide' }, button('Add a language', addLanguage)),
    el('details', { class: 'wide' }, el('summary', {}, 'More fields'), el('div', { class: 'fields' }, field('Badge', options.badge), field('Sound', options.sound), field('Thread', options.thread), field('Category', options.category), field('Interruption level', options.level), el('div', { class: 'wide' }, field('Data of the app, as JSON', options.data)))));
  main_.node.classList.add('wide');
  const sendButton = button('Send…', send, 'primary');
  const dryButton = button('Dry run', () => dryRun());
  const testButton = button('Send to this device', sendTest);
  if (!context.may(context.app, 'send')) { sendButton.disabled = dryButton.disabled = testButton.disabled = true; setText(error, `Sending needs the role send for ${context.app || 'an app'}.`); }

  main.append(el('div', { class: 'head' }, el('h1', {}, 'Compose'), el('span', { class: 'soft' }, context.app || 'choose an app')), el('div', { class: 'two' },
    el('div', { class: 'phones' },
      card('Content', el('div', { class: 'fields' }, field('Push type', pushType), el('div', {}, check('Write the payload as JSON', raw))), fields, rawText),
      card('Audience', el('div', { class: 'fields' }, field('For', audience), ...Object.values(audienceFields))),
      card('Delivery', el('div', { class: 'fields roomy' }, field('Label', label), field('Lane', lane), field('Deliveries a second at most', pace),
        field('Send at', at, `in ${Intl.DateTimeFormat().resolvedOptions().timeZone}; empty: now`), field('The provider stores it for', expiry), field('Collapse id', options.collapse)))),
    el('div', { class: 'phones' }, card('As a phone shows it', preview, size),
      card('Try it', field('Test device', self), el('div', { class: 'buttons' }, testButton)),
      card('Send', dry, error, done, el('div', { class: 'buttons' }, dryButton, sendButton)))));

  // Content

  function addLanguage() {
    const one = content(changed, false);
    const block = el('fieldset', { class: 'card' }, el('legend', {}, 'Language'), one.node, el('div', { class: 'buttons' }, button('Remove', () => { languages.splice(languages.indexOf(one), 1); block.remove(); changed(); }, 'quiet')));
    languages.push(one);
    languageList.append(block);
    one.inputs.language.focus();
    changed();
  }

  /** The payload of a body. Throws a text if a field cannot be used. */
  function payload({ inputs }) {
    const aps = {};
    if (pushType.value === 'background') aps['content-available'] = 1;
    else {
      const alert = {};
      for (const name of ['title', 'subtitle', 'body']) if (inputs[name].value) alert[name] = inputs[name].value;
      if (Object.keys(alert).length) aps.alert = alert;
      if (options.badge.value) aps.badge = Number(options.badge.value);
      if (options.sound.value) aps.sound = options.sound.value;
      if (options.thread.value) aps['thread-id'] = options.thread.value;
      if (options.category.value) aps.category = options.category.value;
      if (options.level.value) aps['interruption-level'] = options.level.value;
    }
    let data = {};
    if (options.data.value.trim()) {
      try { data = JSON.parse(options.data.value); } catch { throw new Error('The data of the app is not JSON.'); }
      if (typeof data !== 'object' || Array.isArray(data) || !data) throw new Error('The data of the app must be an object.');
    }
    return { ...data, aps };
  }

  function whole() {
    if (raw.checked) {
      try { return JSON.parse(rawText.value); } catch (problem) { throw new Error(`The payload is not JSON: ${problem.message}`); }
    }
    return payload(main_);
  }

  const hasText = (one) => ['title', 'subtitle', 'body'].some((name) => one.inputs[name].value);

  function changed() {
    fields.hidden = raw.checked;
    rawText.hidden = !raw.checked;
    for (const [kind, node] of Object.entries(audienceFields)) node.hidden = kind !== audience.value;
    dry.hidden = true;
    try {
      const one = whole();
      const others = raw.checked ? [] : languages.filter(hasText);
      preview.replaceChildren(...phones(context.app, { payload: one, bodies: others.map((each) => ({ language: each.inputs.language.value || '?', payload: payload(each) })) }));
      setText(size, `${number(new TextEncoder().encode(JSON.stringify(one)).length)} of 4,096 bytes`);
    } catch (problem) {
      setText(size, problem.message);
    }
  }

  raw.addEventListener('change', () => { if (raw.checked) try { rawText.value = JSON.stringify(payload(main_), null, 2); } catch { /* The text stays. */ } changed(); });
  for (const each of [rawText, audience, pushType, ...Object.values(options)]) each.addEventListener('input', changed);

  // Sending

  function message() {
    const result = { app: context.app, push_type: pushType.value, audience: audience.value, lane: lane.value };
    const bodies = raw.checked ? [] : languages.filter(hasText);
    if (raw.checked || pushType.value === 'background' || hasText(main_) || !bodies.length) result.payload = whole();
    if (bodies.length) result.bodies = bodies.map((each) => ({ language: each.inputs.language.value.trim(), payload: payload(each) }));
    if (audience.value === 'topic') result.topic = topic.value.trim();
    if (audience.value === 'groups') result.groups = groups.value.trim().split(/[\s,]+/).filter(Boolean);
    if (audience.value === 'condition') result.condition = condition.input.value;
    if (audience.value === 'devices') result.devices = devices.value.trim().split(/[\s,]+/).filter(Boolean).map(device);
    if (label.value) result.label = label.value;
    if (pace.value) result.pace = Number(pace.value);
    if (at.value) result.send_at = new Date(at.value).getTime();
    if (expiry.value) result.expiration = expiry.value === '0' ? 0 : Math.floor((at.value ? new Date(at.value).getTime() : Date.now()) / 1000) + Number(expiry.value);
    if (options.collapse.value) result.collapse_id = options.collapse.value;
    return result;
  }

  async function attempt(body) {
    setText(error, '');
    done.hidden = true;
    try {
      return await body();
    } catch (problem) {
      setText(error, problem.code ? sentence(problem) : problem.message);
      return null;
    }
  }

  async function dryRun() {
    const answer = await attempt(async () => call('send', { ...message(), dry_run: true }));
    if (!answer) return null;
    setText(dry, `${counted(answer.total, 'device')} would be addressed now. Nothing was sent.`);
    dry.hidden = false;
    return answer;
  }

  async function sendTest() {
    localStorage.setItem('carillon-test-device', self.value.trim());
    const answer = await attempt(async () => {
      if (!self.value.trim()) throw new Error('Name your device first.');
      const one = message();
      for (const name of ['topic', 'groups', 'condition', 'pace', 'send_at']) delete one[name];
      return call('send', { ...one, audience: 'devices', devices: [device(self.value)], lane: 'interactive', label: `test ${label.value}`.trim().slice(0, 100), key: crypto.randomUUID() });
    });
    if (answer) sent(answer, 'The test is sent.');
  }

  function sent(answer, what) {
    done.replaceChildren(what, ' ', el('a', { href: `#/message/${encodeURIComponent(context.app)}/${answer.message_id}` }, `Message ${answer.message_id}`), ` for ${counted(answer.total, 'device')}.`);
    done.hidden = false;
  }

  async function send() {
    // The same key for each attempt of one intent: an answer that was lost sends nothing twice.
    const one = await attempt(async () => message());
    const count = one && await dryRun();
    if (!count) return;
    const when = one.send_at ? ` at ${timeText(one.send_at)}` : ' now';
    const isLarge = count.total > TYPED_FROM;
    const isSure = await confirm(`Send to ${counted(count.total, 'device')}?`, `The message goes to ${counted(count.total, 'device')} of ${context.app}${when}${one.pace ? `, at most ${number(one.pace)} a second` : ''}.`,
      `Send to ${counted(count.total, 'device')}`, isLarge ? { typed: count.total } : {});
    if (!isSure) return;
    const key = crypto.randomUUID();
    const answer = await attempt(async () => {
      try { return await call('send', { ...one, key }); } catch (problem) {
        if (problem.effect === 'unknown' || !problem.code) return call('send', { ...one, key });
        throw problem;
      }
    });
    if (answer) sent(answer, one.send_at ? 'The message is scheduled.' : 'The message is on its way.');
  }

  changed();
}

export default { title: 'Compose', show };
