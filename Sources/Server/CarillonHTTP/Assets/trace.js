// Why one device did or did not get one message: TRACE in words.
import { el, field, time, timeText, table, tableRow, buttonRow, factList, fieldGroup, wide } from './dom.js';
import { call, sentence } from './api.js';

/** A device as requests name it: an id or a token. */
export function deviceOf(text) {
  const clean = text.trim();
  // A token of FCM is a text: an installation id, a colon, and more characters than a name may have.
  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
}

/** Why a message was not delivered, by outcome; for all other outcomes the provider is the reason. */
const REASONS = {
  muted: 'The device or a group of it is muted.',
  quarantined: 'Its token had been declared dead before.',
  'no-language': 'No body fits its language.',
  'over-budget': 'Its silent pushes of this hour are used up.',
  expired: 'The time limit of the message has passed.',
  cancelled: 'The message was cancelled before.',
  left: 'It has left the audience before the delivery.',
  unregistered: 'It is not registered.',
  'wrong-kind': 'The push type does not fit the kind of its token.',
  'no-credential': 'There is no usable credential for its app and environment.',
  'gave-up': 'The attempts had no answer that ends it.',
};

/** The result for a device that has an outcome. */
function outcomeSentence(outcome, attempts) {
  const last = attempts[attempts.length - 1];
  if (outcome === 'delivered') {
    const moment = last ? ` at ${timeText(last.at)}` : '';
    return `Delivered: the provider has accepted it${moment}. Whether the phone showed it, the provider does not say.`;
  }
  const refusal = `The provider has refused it${last?.reason ? `: ${last.reason}` : ''}.`;
  return `Not delivered: ${outcome}. ${REASONS[outcome] ?? refusal}`;
}

/** The answer as a sentence. */
function traceSentence(trace) {
  const notFixed = 'Its part of the audience is not fixed yet.';
  if (trace.addressing === 'no-recipient') return 'It is not a recipient: nothing puts it into the audience.';
  if (trace.addressing === 'would-be-no-recipient') return `${notFixed} Now it would not be a recipient.`;
  if (trace.outcome) return outcomeSentence(trace.outcome, trace.attempts ?? []);
  if (trace.addressing === 'would-be-recipient') return `${notFixed} Now it would be a recipient.`;
  if (!trace.next_attempt_at) return 'It waits.';
  return `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.`;
}

/** One reason for which the device is in the audience, as a text. */
function sourceText(each) {
  if (each.kind === 'device') return 'the message names the device';
  if (each.kind === 'all') return 'every device of the app';
  if (each.kind === 'term') return each.name;
  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
}

function factsOf(trace) {
  const facts = [];
  if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(sourceText).join('; ')]);
  if (trace.muted_groups?.length) facts.push(['Muted groups now', trace.muted_groups.join(', ')]);
  if (trace.flags.includes('muted')) facts.push(['Mute now', 'the device itself']);
  const language = trace.flags.includes('has-body') ? trace.language ?? 'the default' : 'none fits';
  facts.push(['Language of its body', language]);
  if (trace.silent_budget_left !== undefined) facts.push(['Silent pushes left', String(trace.silent_budget_left)]);
  return facts;
}

function attemptTable(attempts) {
  const list = table('Attempts', ['Time', 'Status', 'Reason', '#Connection']);
  list.body.append(...attempts.map((each) => tableRow([time(each.at), String(each.status || 'no answer'),
    each.reason || '–', `#${each.connection}`])));
  return list.node;
}

/**
 * A form that asks for a message and a device. `known` has the `app`, `message` and `device` that it need not ask for,
 * and a message, `suggested`, that is explained at once.
 */
export function traceForm(context, known) {
  const message = el('input', {
    inputmode: 'numeric', required: true, value: known.message ?? known.suggested ?? '',
  });
  const target = el('input', {
    required: true, value: known.device ?? '', spellcheck: 'false', placeholder: 'id or token',
  });
  const result = el('div', { role: 'status', class: 'column' });

  async function explain() {
    const body = { app: known.app ?? context.app, message_id: message.value.trim(), device: deviceOf(target.value) };
    try {
      const trace = await call('trace', body);
      result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, traceSentence(trace))),
        factList(factsOf(trace)), trace.attempts?.length ? attemptTable(trace.attempts) : '');
    } catch (problem) {
      result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
    }
  }
  const onsubmit = (event) => {
    event.preventDefault();
    explain();
  };
  const form = el('form', { class: 'fields', onsubmit }, known.message ? null : field('Message', message),
    known.device ? null : field('Device', target), buttonRow(el('button', { type: 'submit' }, 'Explain')));
  if (known.suggested) explain();
  return fieldGroup(wide(form), wide(result));
}
