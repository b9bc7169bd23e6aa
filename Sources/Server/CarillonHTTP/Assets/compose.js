// A new message: content, languages, audience, time, pace; dry run, a test to one device, then the send.
import {
  el, card, field, select, button, setText, number, counted, confirm, timeText, pageHead, chosenApp, errorLine,
  doneLine, buttonRow, column, messageAddress,
} from './dom.js';
import { call, sentence } from './api.js';
import { audienceForm } from './compose-audience.js';
import { contentForm, textInput } from './compose-content.js';
import { phones } from './phone.js';
import { deviceOf } from './trace.js';

/** Above this number of devices the user must type the number. */
const MAXIMUM_UNTYPED_DEVICES = 100;

/** The form for label, lane, pace, times and collapse id. `onInput` is called when the collapse id changes. */
function deliveryForm(onInput) {
  const label = textInput({ maxlength: '100', placeholder: 'for listings and the log' });
  const lane = select([['bulk', 'bulk: a broadcast'], ['interactive', 'interactive: a user waits']]);
  const pace = textInput({ type: 'number', min: '1', placeholder: 'no bound' });
  const sendAt = textInput({ type: 'datetime-local' });
  const expiry = select([['', 'its default'], ['0', 'not stored'], ['3600', '1 hour'], ['86400', '1 day'],
    ['604800', '1 week']]);
  const collapse = textInput({ maxlength: '64' });
  collapse.addEventListener('input', onInput);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const sendTime = () => new Date(sendAt.value).getTime();

  function expiration() {
    if (expiry.value === '0') return 0;
    return Math.floor((sendAt.value ? sendTime() : Date.now()) / 1000) + Number(expiry.value);
  }
  return {
    node: card('Delivery', el('div', { class: 'fields roomy' }, field('Label', label), field('Lane', lane),
      field('Deliveries a second at most', pace), field('Send at', sendAt, `in ${zone}; empty: now`),
      field('The provider stores it for', expiry), field('Collapse id', collapse))),
    lane: () => lane.value,
    /** The part of a SEND that is about its delivery. */
    requestPart() {
      const part = {};
      if (label.value) part.label = label.value;
      if (pace.value) part.pace = Number(pace.value);
      if (sendAt.value) part.send_at = sendTime();
      if (expiry.value) part.expiration = expiration();
      if (collapse.value) part.collapse_id = collapse.value;
      return part;
    },
  };
}

/** The message as phones show it, and its size. */
function previewCard(context) {
  const shown = column();
  const size = el('p', { class: 'soft' });
  function update(content) {
    try {
      const found = content.previewed();
      shown.replaceChildren(...phones(context.app, found));
      const bytes = new TextEncoder().encode(JSON.stringify(found.payload)).length;
      setText(size, `${number(bytes)} of 4,096 bytes`);
    } catch (problem) {
      setText(size, problem.message);
    }
  }
  return { node: card('As a phone shows it', shown, size), update };
}

/** The lines that say what became of a request: the dry run, an error, and what was sent. */
function resultLines(context) {
  const dryRun = el('p', { role: 'status', class: 'notice', hidden: true });
  const error = errorLine();
  const done = doneLine();
  return {
    nodes: [dryRun, error, done],
    dryRun,
    error,
    /** Returns what `body` returns, or null after an error, which is shown. */
    async attempt(body) {
      setText(error, '');
      done.hidden = true;
      try {
        return await body();
      } catch (problem) {
        setText(error, problem.code ? sentence(problem) : problem.message);
        return null;
      }
    },
    showSent({ message_id: id, total }, what) {
      const link = el('a', { href: messageAddress(context.app, id) }, `Message ${id}`);
      done.replaceChildren(what, ' ', link, ` for ${counted(total, 'device')}.`);
      done.hidden = false;
    },
  };
}

/** Sends a message. If the answer is lost, sends it again with the same idempotency key, so that it is sent once. */
async function sendOnce(request) {
  const key = crypto.randomUUID();
  try {
    return await call('send', { ...request, key });
  } catch (problem) {
    if (problem.effect === 'unknown' || !problem.code) return call('send', { ...request, key });
    throw problem;
  }
}

/** Asks whether to send to that many devices. */
function confirmSend(context, request, total) {
  const devices = counted(total, 'device');
  const when = request.send_at ? ` at ${timeText(request.send_at)}` : ' now';
  const pace = request.pace ? `, at most ${number(request.pace)} a second` : '';
  return confirm(`Send to ${devices}?`, `The message goes to ${devices} of ${context.app}${when}${pace}.`,
    `Send to ${devices}`, total > MAXIMUM_UNTYPED_DEVICES ? { typed: total } : {});
}

/** The dry run and the send; `message` returns the request. */
function sendActions(context, lines, message) {
  async function dryRun() {
    const answer = await lines.attempt(async () => call('send', { ...message(), dry_run: true }));
    if (!answer) return null;
    setText(lines.dryRun, `${counted(answer.total, 'device')} would be addressed now. Nothing was sent.`);
    lines.dryRun.hidden = false;
    return answer;
  }
  async function send() {
    const request = await lines.attempt(async () => message());
    const count = request && await dryRun();
    if (!count || !await confirmSend(context, request, count.total)) return;
    const answer = await lines.attempt(async () => sendOnce(request));
    if (answer) lines.showSent(answer, request.send_at ? 'The message is scheduled.' : 'The message is on its way.');
  }
  return { dryRun: button('Dry run', () => dryRun()), send: button('Send…', send, 'primary') };
}

/** The same message to one device, which the browser remembers. */
function testForm(lines, message) {
  const testDevice = textInput({
    value: localStorage.getItem('carillon-test-device') ?? '', spellcheck: 'false',
    placeholder: 'your device: id or token',
  });
  function testRequest() {
    if (!testDevice.value.trim()) throw new Error('Name your device first.');
    const request = message();
    const label = `test ${request.label ?? ''}`.trim().slice(0, 100);
    for (const name of ['topic', 'groups', 'condition', 'pace', 'send_at']) delete request[name];
    const devices = [deviceOf(testDevice.value)];
    return { ...request, audience: 'devices', devices, lane: 'interactive', label, key: crypto.randomUUID() };
  }
  async function sendTest() {
    localStorage.setItem('carillon-test-device', testDevice.value.trim());
    const answer = await lines.attempt(async () => call('send', testRequest()));
    if (answer) lines.showSent(answer, 'The test is sent.');
  }
  const sendButton = button('Send to this device', sendTest);
  return { node: card('Try it', field('Test device', testDevice), buttonRow(sendButton)), sendButton };
}

function show(main, { parameters, signal, context }) {
  const content = contentForm(changed);
  const audience = audienceForm(context, signal, { initialCondition: parameters.get('condition'), onInput: changed });
  const delivery = deliveryForm(changed);
  const preview = previewCard(context);
  const lines = resultLines(context);
  const actions = sendActions(context, lines, message);
  const test = testForm(lines, message);

  function message() {
    return {
      app: context.app, push_type: content.pushType(), audience: audience.kind(), lane: delivery.lane(),
      ...content.requestPart(), ...audience.requestPart(), ...delivery.requestPart(),
    };
  }
  function changed() {
    content.showKind();
    audience.showKind();
    lines.dryRun.hidden = true;
    preview.update(content);
  }
  if (!context.may(context.app, 'send')) {
    for (const each of [actions.send, actions.dryRun, test.sendButton]) each.disabled = true;
    setText(lines.error, `Sending needs the role send for ${context.app || 'an app'}.`);
  }
  main.append(pageHead('Compose', chosenApp(context)), el('div', { class: 'two' },
    column(content.node, audience.node, delivery.node),
    column(preview.node, test.node, card('Send', lines.nodes, buttonRow(actions.dryRun, actions.send)))));
  changed();
}

export default { title: 'Compose', show };
