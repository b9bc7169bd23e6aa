// The actions on a message: pause, resume, start, pace, cancel, send again.
import {
  el, field, button, buttonRow, checkbox, backButton, setText, number, counted, timeText, ask, confirm, messageAddress,
} from './dom.js';

/** Outcomes that another attempt would not change, or that are no failure. */
const FINAL = ['delivered', 'pending', 'unregistered', 'quarantined', 'token-unregistered', 'token-expired', 'left'];

/** The number of devices without an outcome. */
export const devicesLeft = (status) => status.outcomes.find((each) => each.outcome === 'pending')?.devices ?? 0;

async function start({ id, status, act }) {
  const devices = counted(status().total, 'device');
  const text = `It is scheduled for ${timeText(status().send_at)}. It was for ${devices} when it was accepted; `
    + 'a topic, groups or a condition are looked up again at the start.';
  if (await confirm(`Start message ${id} now?`, text, `Start now for ${devices}`)) {
    await act('update_message', { action: 'resume' }, 'The message starts.');
  }
}

async function cancel({ id, status, act }) {
  const devices = counted(devicesLeft(status()), 'device');
  const text = `${devices} of ${number(status().total)} have no outcome yet. They will not get it. `
    + 'This cannot be undone; the message can be sent again to them later.';
  if (await confirm(`Cancel message ${id}?`, text, `Cancel for ${devices}`, { danger: true })) {
    await act('update_message', { action: 'cancel' }, `The message is cancelled for ${devices}.`);
  }
}

async function changePace({ id, status, act }) {
  const input = el('input', {
    type: 'number', min: '1', max: '4294967295', value: status().pace ?? '', placeholder: 'no bound',
  });
  const isSure = await ask('pace-title', el('form', { method: 'dialog' },
    el('h2', { id: 'pace-title' }, `Pace of message ${id}`),
    el('p', {}, `${counted(devicesLeft(status()), 'device')} are left.`),
    field('Deliveries a second at most', input, 'Empty: no bound.'),
    buttonRow(backButton(), el('button', { class: 'primary', value: 'yes' }, 'Set the pace'))));
  if (!isSure) return;
  const pace = input.value ? { pace: Number(input.value) } : {};
  await act('update_message', { action: 'pace', ...pace },
    input.value ? `At most ${number(pace.pace)} deliveries a second.` : 'The pace has no bound.');
}

/** Asks for which outcomes the message is sent again. Resolves with these, or with null. */
async function chooseOutcomes(id, candidates) {
  const boxes = candidates.map((each) => el('input', {
    type: 'checkbox', value: String(each.outcome), checked: !FINAL.includes(each.outcome),
  }));
  const go = el('button', { class: 'primary', value: 'yes' }, '');
  const chosen = () => candidates.filter((_, index) => boxes[index].checked);
  function update() {
    const count = chosen().reduce((sum, each) => sum + each.devices, 0);
    setText(go, `Send again to ${counted(count, 'device')}`);
    go.disabled = count === 0;
  }
  update();
  const isSure = await ask('resend-title', el('form', { method: 'dialog', onchange: update },
    el('h2', { id: 'resend-title' }, `Send message ${id} again?`),
    el('p', {}, 'A new message with the same content, for the devices that ended so:'),
    candidates.map((each, index) => checkbox(`${each.outcome}: ${counted(each.devices, 'device')}`, boxes[index])),
    buttonRow(backButton(), go)));
  return isSure ? chosen().map((each) => each.outcome) : null;
}

const isEnded = (outcome) => outcome !== 'delivered' && outcome !== 'pending';

async function resend({ app, id, status, act }) {
  const outcomes = await chooseOutcomes(id, status().outcomes.filter((each) => isEnded(each.outcome)));
  if (!outcomes) return;
  const answer = await act('resend', { key: crypto.randomUUID(), outcomes }, 'The message is sent again.');
  if (answer) location.hash = messageAddress(app, answer.message_id);
}

/**
 * The buttons of a message, hidden at first. `message` has `app`, `id`, `maySend`, `status()`, which is the newest
 * status, and `act(name, body, text)`, which makes a request about the message and shows the text.
 */
export function messageActions(message) {
  const updateMessage = (action, text) => message.act('update_message', { action }, text);
  const buttons = {
    pause: button('Pause', () => updateMessage('pause', 'The message is paused.')),
    resume: button('Resume', () => updateMessage('resume', 'The message goes on.')),
    start: button('Start now…', () => start(message)),
    pace: button('Pace…', () => changePace(message)),
    cancel: button('Cancel…', () => cancel(message), 'danger'),
    resend: button('Send again…', () => resend(message)),
  };
  for (const each of Object.values(buttons)) each.hidden = true;
  return {
    nodes: Object.values(buttons),
    /** Shows the buttons that fit the state of the message. */
    update(status) {
      const isOne = (...states) => message.maySend && states.includes(status.state);
      buttons.pause.hidden = !isOne('waiting', 'sending', 'scheduled');
      buttons.resume.hidden = !isOne('paused');
      buttons.start.hidden = !isOne('scheduled');
      buttons.pace.hidden = buttons.cancel.hidden = !isOne('waiting', 'sending', 'scheduled', 'paused');
      buttons.resend.hidden = !isOne('finished') || !status.outcomes.some((each) => isEnded(each.outcome));
    },
  };
}
