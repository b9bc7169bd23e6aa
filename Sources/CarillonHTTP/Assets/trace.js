// Why one device did or did not get one message: TRACE in words.
import { el, field, button, setText, time, timeText, table, tableRow } from './dom.js';
import { call, sentence } from './api.js';

export function device(text) {
  const clean = text.trim();
  // A token of FCM is a text: an installation id, a colon, and much more than a name has.
  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
}

/** The answer as a sentence. */
function verdict(trace) {
  if (trace.addressing === 'no recipient') return 'It is not a recipient: nothing puts it into the audience.';
  if (trace.addressing === 'would be no recipient') return 'Its part of the audience is not fixed yet. Now it would not be a recipient.';
  const attempts = trace.attempts ?? [];
  const last = attempts[attempts.length - 1];
  if (trace.outcome === 'delivered') return `Delivered: the provider has accepted it${last ? ` at ${timeText(last.at)}` : ''}. Whether the phone showed it, the provider does not say.`;
  if (trace.outcome) {
    const why = {
      muted: 'The device or a group of it is muted.', quarantined: 'Its token had been declared dead before.', 'no-language': 'No body fits its language.',
      'over-budget': 'Its silent pushes of this hour are used up.', expired: 'The time limit of the message has passed.', cancelled: 'The message was cancelled before.',
      left: 'It has left the audience before the delivery.', unregistered: 'It is not registered.', 'wrong-kind': 'The push type does not fit the kind of its token.',
      'no-credential': 'There is no usable credential for its app and environment.', 'gave-up': 'The attempts had no answer that ends it.',
    }[trace.outcome] ?? `The provider has refused it${last?.reason ? `: ${last.reason}` : ''}.`;
    return `Not delivered: ${trace.outcome}. ${why}`;
  }
  if (trace.addressing === 'would be a recipient') return 'Its part of the audience is not fixed yet. Now it would be a recipient.';
  return trace.next_attempt_at ? `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.` : 'It waits.';
}

function source(each) {
  if (each.kind === 'device') return 'the message names the device';
  if (each.kind === 'all') return 'every device of the app';
  if (each.kind === 'term') return each.name;
  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
}

/** A form for a message and a device; `given` has those that are known, and `suggested` is explained at once. */
export function traceForm(context, given) {
  const message = el('input', { inputmode: 'numeric', required: true, value: given.message ?? given.suggested ?? '' });
  const target = el('input', { required: true, value: given.device ?? '', spellcheck: 'false', placeholder: 'id or token' });
  const result = el('div', { role: 'status', class: 'phones' });
  async function explain() {
    try {
      const trace = await call('trace', { app: given.app ?? context.app, message_id: message.value.trim(), device: device(target.value) });
      const attempts = table('Attempts', ['Time', 'Status', 'Reason', '#Connection']);
      for (const each of trace.attempts ?? []) attempts.body.append(tableRow([time(each.at), String(each.status || 'no answer'), each.reason || '–', `#${each.connection}`]));
      const facts = [];
      if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(source).join('; ')]);
      if (trace.muted_groups?.length) facts.push(['Muted groups now', trace.muted_groups.join(', ')]);
      if (trace.flags.includes('muted')) facts.push(['Mute now', 'the device itself']);
      facts.push(['Language of its body', trace.flags.includes('has a body') ? trace.language ?? 'the default' : 'none fits']);
      if (trace.silent_budget_left !== undefined) facts.push(['Silent pushes left', String(trace.silent_budget_left)]);
      result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, verdict(trace))),
        el('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), trace.attempts?.length ? attempts.node : '');
    } catch (problem) {
      result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
    }
  }

  const form = el('form', {
    class: 'fields', onsubmit(event) {
      event.preventDefault();
      explain();
    },
  }, given.message ? null : field('Message', message), given.device ? null : field('Device', target), el('div', { class: 'buttons' }, el('button', { type: 'submit' }, 'Explain')));
  if (given.suggested) explain();
  return el('div', { class: 'fields' }, el('div', { class: 'wide' }, form), el('div', { class: 'wide' }, result));
}
