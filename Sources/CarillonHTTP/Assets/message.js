// One message: its progress, its outcomes, its recipients, and what can be done about it.
import { el, card, table, tableRow, fill, rows, setText, number, duration, time, timeText, field, button, stateChip, share, outcomeKind, confirm, counted } from './dom.js';
import { api, call, poll, sentence } from './api.js';
import { chart } from './chart.js';
import { phones } from './phone.js';
import { traceForm } from './trace.js';

const IMPROVABLE = (outcome) => !['delivered', 'pending', 'unregistered', 'quarantined', 'token-unregistered', 'token-expired', 'left'].includes(outcome);

function show(main, { parts, signal, context }) {
  const [app, id] = parts;
  if (app && context.app !== app) context.app = app;
  const error = el('p', { class: 'error', role: 'alert' });
  const done = el('p', { class: 'fine', role: 'status', hidden: true });
  const state = el('span');
  const facts = el('dl', { class: 'facts' });
  const bar = el('progress', { max: '1', 'aria-label': `progress of message ${id}` });
  const progress = el('p', { class: 'nowrap' }, '–');
  const curve = chart('Devices that have an outcome, over time', [
    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], { stacked: true, gap: Infinity });
  const known = el('p', { class: 'soft' });
  const outcomes = table('Outcomes', ['Outcome', '#Devices', '#Share', '']);
  const maySend = context.may(app, 'send');
  const actions = {
    pause: button('Pause', () => steer('pause')), resume: button('Resume', () => steer('resume')),
    start: button('Start now…', start), pace: button('Pace…', changePace),
    cancel: button('Cancel…', cancel, 'danger'), resend: button('Send again…', resend),
  };
  for (const each of Object.values(actions)) each.hidden = true;
  let status = null;

  main.append(el('div', { class: 'head' }, el('h1', {}, `Message ${id}`), state, el('span', { class: 'soft' }, app), el('div', { class: 'buttons' }, Object.values(actions))),
    error, done, el('div', { class: 'two' },
      el('div', { class: 'grid' }, card('Progress', bar, progress, curve.node, known), card('Outcomes', outcomes.node)),
      el('div', { class: 'phones' }, card('About', facts), content())),
    recipients(), card('Why did a device (not) get it?', traceForm(context, { app, message: id })));

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

  const left = () => status.outcomes.find((each) => each.outcome === 'pending')?.devices ?? 0;
  const steer = (action) => act('steer', { action }, { pause: 'The message is paused.', resume: 'The message goes on.' }[action]);

  async function start() {
    const devices = counted(status.total, 'device');
    if (await confirm(`Start message ${id} now?`, `It is scheduled for ${timeText(status.send_at)}. It was for ${devices} when it was accepted; a topic, groups or a condition are looked up again at the start.`,
      `Start now for ${devices}`)) await act('steer', { action: 'resume' }, 'The message starts.');
  }

  async function cancel() {
    const devices = left();
    if (await confirm(`Cancel message ${id}?`, `${counted(devices, 'device')} of ${number(status.total)} have no outcome yet. They will not get it. This cannot be undone; the message can be sent again to them later.`,
      `Cancel for ${counted(devices, 'device')}`, { danger: true })) await act('steer', { action: 'cancel' }, `The message is cancelled for ${counted(devices, 'device')}.`);
  }

  async function changePace() {
    const input = el('input', { type: 'number', min: '1', max: '4294967295', value: status.pace ?? '', placeholder: 'no bound' });
    const dialog = el('dialog', { 'aria-labelledby': 'pace-title' }, el('form', { method: 'dialog' }, el('h2', { id: 'pace-title' }, `Pace of message ${id}`),
      el('p', {}, `${counted(left(), 'device')} are left.`), field('Deliveries a second at most', input, 'Empty: no bound.'),
      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), el('button', { class: 'primary', value: 'yes' }, 'Set the pace'))));
    dialog.addEventListener('close', async () => {
      dialog.remove();
      if (dialog.returnValue !== 'yes') return;
      await act('steer', { action: 'pace', ...(input.value ? { pace: Number(input.value) } : {}) }, input.value ? `At most ${number(Number(input.value))} deliveries a second.` : 'The pace has no bound.');
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  async function resend() {
    const candidates = status.outcomes.filter((each) => each.outcome !== 'delivered' && each.outcome !== 'pending');
    const boxes = candidates.map((each) => el('input', { type: 'checkbox', value: String(each.outcome), checked: IMPROVABLE(each.outcome) }));
    const go = el('button', { class: 'primary', value: 'yes' }, '');
    const chosen = () => candidates.filter((_, index) => boxes[index].checked);
    const count = () => chosen().reduce((sum, each) => sum + each.devices, 0);
    const update = () => { setText(go, `Send again to ${counted(count(), 'device')}`); go.disabled = count() === 0; };
    const dialog = el('dialog', { 'aria-labelledby': 'resend-title' }, el('form', { method: 'dialog', onchange: update }, el('h2', { id: 'resend-title' }, `Send message ${id} again?`),
      el('p', {}, 'A new message with the same content, for the devices that ended so:'),
      candidates.map((each, index) => el('label', { class: 'check' }, boxes[index], `${each.outcome}: ${counted(each.devices, 'device')}`)),
      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), go)));
    dialog.addEventListener('close', async () => {
      dialog.remove();
      if (dialog.returnValue !== 'yes') return;
      const answer = await act('resend', { key: crypto.randomUUID(), outcomes: chosen().map((each) => each.outcome) }, 'The message is sent again.');
      if (answer) location.hash = `#/message/${encodeURIComponent(app)}/${answer.message_id}`;
    });
    update();
    document.body.append(dialog);
    dialog.showModal();
  }

  /** What devices get, by language. It does not change, so it is read once. */
  function content() {
    const shown = el('div', { class: 'phones' });
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

  function recipients() {
    const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
    const list = table('Recipients', ['Device', 'Outcome', '']);
    const note = el('p', { class: 'soft' }, '');
    const more = button('List recipients', load);
    let cursor = '0';
    let found = [];
    kind.addEventListener('change', () => { cursor = '0'; found = []; rows(list.body, [], () => 0); setText(more, 'List recipients'); more.disabled = false; setText(note, ''); });
    list.node.hidden = true;
    async function load() {
      more.disabled = true;
      const wanted = found.length + 50;
      try {
        // A long message has few failures: some pages are read until there are rows to show.
        for (let page = 0; page < 20 && found.length < wanted; page += 1) {
          const answer = await call('message_outcomes', { app, message_id: id, cursor, limit: 1000 }, { signal });
          found = found.concat(answer.recipients.filter((each) => !kind.value || (each.outcome !== 'delivered' && each.outcome !== 'pending' && each.outcome !== null)));
          cursor = answer.next;
          if (cursor === '0') break;
        }
      } catch (problem) {
        return setText(note, sentence(problem));
      }
      list.node.hidden = found.length === 0;
      rows(list.body, found.slice(0, wanted), (each) => `${each.device_id} ${found.indexOf(each)}`, (each) => tableRow([
        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, String(each.device_id)) : 'not registered', String(each.outcome ?? 'pending'),
        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, 'why') : '']));
      setText(note, cursor === '0' ? `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}` : `${number(found.length)} so far`);
      setText(more, 'More');
      more.disabled = cursor === '0';
    }
    return card('Recipients', el('div', { class: 'fields' }, field('Show', kind)), list.node, note, el('div', { class: 'buttons' }, more));
  }

  function fact(name, value) { return value === null || value === undefined || value === '' ? [] : [el('dt', {}, name), el('dd', {}, value)]; }

  let drawn = '';
  function draw(answer) {
    status = answer.status;
    const ended = status.total - left();
    if (state.textContent !== status.state) state.replaceChildren(stateChip(status.state));
    bar.value = status.total ? ended / status.total : 1;
    const eta = status.remaining_ms ? `, ${duration(status.remaining_ms)} left` : '';
    setText(progress, `${number(ended)} of ${counted(status.total, 'device')} (${share(ended, status.total)})${status.rate ? `, ${number(status.rate)}/s` : ''}${eta}`);
    const about = JSON.stringify([status.audience, status.label, status.sender, status.traceparent, status.accepted_at, status.finished_at, status.send_at, status.pace, status.received, status.opened]);
    if (about !== drawn) {
      drawn = about;
      facts.replaceChildren(...fact('Label', status.label), ...fact('Sender', status.sender ?? 'not known'), ...fact('Trace', status.traceparent && el('code', {}, status.traceparent.split('-')[1])), ...fact('Audience', status.audience ? el('code', {}, status.audience) : 'a list of devices'),
        ...fact('Accepted', time(status.accepted_at)), ...(status.send_at ? fact('Scheduled', time(status.send_at)) : []),
        ...(status.finished_at ? [...fact('Finished', time(status.finished_at)), ...fact('Took', duration(status.finished_at - (status.send_at ?? status.accepted_at)))] : []),
        ...fact('Pace', status.pace ? `at most ${number(status.pace)}/s` : 'no bound'), ...(status.received ? fact('Received', counted(status.received, 'receipt')) : []), ...(status.opened ? fact('Opened', counted(status.opened, 'receipt')) : []));
    }
    const largest = Math.max(1, ...status.outcomes.map((each) => each.devices));
    const order = ['pending', 'delivered', 'failed', 'not-sent'];
    const sorted = [...status.outcomes].sort((one, other) => order.indexOf(outcomeKind(one.outcome)) - order.indexOf(outcomeKind(other.outcome)) || other.devices - one.devices);
    rows(outcomes.body, sorted, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#', el('div', { class: `bar ${outcomeKind(each.outcome)}` })]), (row, each) => {
      fill(row, [undefined, number(each.devices), share(each.devices, status.total)]);
      row.querySelector('.bar').style.width = `${Math.max(1, each.devices / largest * 100)}%`;
    });
    const sum = (kind) => status.outcomes.filter((each) => outcomeKind(each.outcome) === kind).reduce((total, each) => total + each.devices, 0);
    const points = [...answer.progress, [status.finished_at || Date.now(), sum('delivered'), sum('failed'), sum('not-sent')]];
    if (!answer.progress.length) points.unshift([status.send_at ?? status.accepted_at, 0, 0, 0]);
    curve.update(points.map((each) => each[0]), { delivered: points.map((each) => each[1]), failed: points.map((each) => each[2]), not_sent: points.map((each) => each[3]) });
    // The text stays while the message is sent: a line more or less would move what is below it.
    setText(known, answer.progress.length > 1 || !status.finished_at ? 'One point each five seconds while the message is sent.' : 'Only its beginning and its present state are known: the server keeps points in memory, while a message is sent, until it restarts.');
    const is = (...states) => maySend && states.includes(status.state);
    actions.pause.hidden = !is('waiting', 'sending', 'scheduled');
    actions.resume.hidden = !is('paused');
    actions.start.hidden = !is('scheduled');
    actions.pace.hidden = actions.cancel.hidden = !is('waiting', 'sending', 'scheduled', 'paused');
    actions.resend.hidden = !is('finished') || !status.outcomes.some((each) => !['delivered', 'pending'].includes(each.outcome));
    context.say(`Message ${id} is ${status.state}: ${progress.textContent}.`);
  }

  async function load() { draw(await api('message', { app, message_id: id }, { poll: true, signal })); }
  poll(signal, async () => {
    try {
      await load();
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, sentence(problem));
      throw problem;
    }
  });
}

export default { title: 'Message', show };
