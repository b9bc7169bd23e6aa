// One message: its progress, its outcomes, its recipients, and its actions.
import {
  el, card, table, tableRow, updateRows, setText, number, duration, time, share, outcomeKind, counted, showState,
  pageHead, errorLine, doneLine, softLine, buttonRow, column, cardGrid, descriptions, progressBar,
} from './dom.js';
import { api, call, pollWithErrors, sentence } from './api.js';
import { chart } from './chart.js';
import { devicesLeft, messageActions } from './message-actions.js';
import { recipientsCard } from './message-recipients.js';
import { phones } from './phone.js';
import { traceForm } from './trace.js';

/** The order of the outcomes in the table. */
const ORDER = ['pending', 'delivered', 'failed', 'not-sent'];

/** The payloads that devices get, by language. They do not change, so they are read once. */
function contentCard(app, id, signal) {
  const shown = column();
  const text = el('pre', { class: 'payload', tabindex: '0', 'aria-label': 'Content as JSON' });
  const whole = el('details', { hidden: true }, el('summary', {}, 'Content as JSON'), text);
  const missing = el('p', { class: 'soft', role: 'status' }, '');
  api('content', { app, message_id: id }, { poll: true, signal }).then((found) => {
    shown.replaceChildren(...phones(app, found));
    setText(text, JSON.stringify(found, null, 2));
    whole.hidden = false;
  }, (problem) => { if (!signal.aborted) setText(missing, sentence(problem)); });
  return card('As a phone shows it', shown, whole, missing);
}

/** The names and values of the facts of a message beside its progress. Facts without a value are left out. */
function factsOf(status) {
  const trace = status.traceparent && el('code', {}, status.traceparent.split('-')[1]);
  const began = status.send_at ?? status.accepted_at;
  const facts = [
    ['Label', status.label], ['Sender', status.sender ?? 'not known'], ['Trace', trace],
    ['Audience', status.audience ? el('code', {}, status.audience) : 'a list of devices'],
    ['Accepted', time(status.accepted_at)],
    ['Scheduled', status.send_at ? time(status.send_at) : null],
    ['Finished', status.finished_at ? time(status.finished_at) : null],
    ['Took', status.finished_at ? duration(status.finished_at - began) : null],
    ['Pace', status.pace ? `at most ${number(status.pace)}/s` : 'no bound'],
    ['Received', status.received ? counted(status.received, 'receipt') : null],
    ['Opened', status.opened ? counted(status.opened, 'receipt') : null],
  ];
  return facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
}

/** The card with the facts, which are replaced only if they differ. */
function aboutCard() {
  const list = el('dl', { class: 'facts' });
  let drawn = '';
  function update(status) {
    const about = JSON.stringify([status.audience, status.label, status.sender, status.traceparent, status.accepted_at,
      status.finished_at, status.send_at, status.pace, status.received, status.opened]);
    if (about === drawn) return;
    drawn = about;
    list.replaceChildren(...descriptions(factsOf(status)));
  }
  return { node: card('About', list), update };
}

/** The card with each outcome, its devices and its share. */
function outcomesCard() {
  const list = table('Outcomes', ['Outcome', '#Devices', '#Share', '']);
  const place = (each) => ORDER.indexOf(outcomeKind(each.outcome));
  const create = (each) => tableRow([
    String(each.outcome), '#', '#', el('div', { class: `bar ${outcomeKind(each.outcome)}` })]);
  function update({ outcomes, total }) {
    const largest = Math.max(1, ...outcomes.map((each) => each.devices));
    const sorted = [...outcomes].sort((one, other) => place(one) - place(other) || other.devices - one.devices);
    updateRows(list.body, sorted, (each) => each.outcome, create, (row, each) => {
      setText(row.cells[1], number(each.devices));
      setText(row.cells[2], share(each.devices, total));
      row.querySelector('.bar').style.width = `${Math.max(1, each.devices / largest * 100)}%`;
    });
  }
  return { node: card('Outcomes', list.node), update };
}

/** The points of the curve: the points that the server has kept, and the present state. */
function pointsOf(status, known) {
  const sum = (kind) => status.outcomes.filter((each) => outcomeKind(each.outcome) === kind)
    .reduce((total, each) => total + each.devices, 0);
  const points = [...known, [status.finished_at || Date.now(), sum('delivered'), sum('failed'), sum('not-sent')]];
  if (!known.length) points.unshift([status.send_at ?? status.accepted_at, 0, 0, 0]);
  return points;
}

/** The card with the bar, its text, and the curve of the outcomes. */
function progressCard(id) {
  const bar = progressBar(id);
  const text = el('p', { class: 'nowrap' }, '–');
  const curve = chart('Devices that have an outcome, over time', [
    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' },
    { name: 'not_sent', label: 'not sent' }], { stacked: true, maximumGapMilliseconds: Infinity });
  const note = softLine();

  function drawText(status) {
    const ended = status.total - devicesLeft(status);
    bar.value = status.total ? ended / status.total : 1;
    const rate = status.rate ? `, ${number(status.rate)}/s` : '';
    const left = status.remaining_ms ? `, ${duration(status.remaining_ms)} left` : '';
    const devices = counted(status.total, 'device');
    setText(text, `${number(ended)} of ${devices} (${share(ended, status.total)})${rate}${left}`);
  }
  function drawCurve({ status, progress }) {
    const points = pointsOf(status, progress);
    const valuesAt = (index) => points.map((each) => each[index]);
    curve.update(valuesAt(0), { delivered: valuesAt(1), failed: valuesAt(2), not_sent: valuesAt(3) });
    // The text stays while the message is sent: a line more or less would move what is below it.
    setText(note, progress.length > 1 || !status.finished_at
      ? 'One point each five seconds while the message is sent.'
      : 'Only its beginning and its present state are known: the server keeps points in memory, while a message is '
        + 'sent, until it restarts.');
  }
  return {
    node: card('Progress', bar, text, curve.node, note),
    text: () => text.textContent,
    update(answer) {
      drawText(answer.status);
      drawCurve(answer);
    },
  };
}

function show(main, { parts, signal, context }) {
  const [app, id] = parts;
  if (app && context.app !== app) context.app = app;
  const error = errorLine();
  const done = doneLine();
  const state = el('span');
  const progress = progressCard(id);
  const outcomes = outcomesCard();
  const about = aboutCard();
  let status = null;
  const actions = messageActions({ app, id, maySend: context.may(app, 'send'), status: () => status, act });
  main.append(pageHead(`Message ${id}`, state, el('span', { class: 'soft' }, app), buttonRow(actions.nodes)),
    error, done, el('div', { class: 'two' }, cardGrid(progress.node, outcomes.node),
      column(about.node, contentCard(app, id, signal))),
    recipientsCard(app, id, signal),
    card('Why did a device (not) get it?', traceForm(context, { app, message: id })));

  async function act(name, body, text) {
    setText(error, '');
    try {
      const answer = await call(name, { app, message_id: id, ...body });
      setText(done, text);
      done.hidden = false;
      await load();
      return answer;
    } catch (problem) {
      setText(error, sentence(problem));
      return null;
    }
  }
  async function load() {
    const answer = await api('message', { app, message_id: id }, { poll: true, signal });
    status = answer.status;
    showState(state, status.state);
    for (const part of [about, outcomes, actions]) part.update(status);
    progress.update(answer);
    context.say(`Message ${id} is ${status.state}: ${progress.text()}.`);
  }
  pollWithErrors(signal, error, load);
}

export default { title: 'Message', show };
