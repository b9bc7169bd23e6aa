// A notification as a phone shows it, for each language of a message.
import { el } from './dom.js';

/** A text of an alert. A text that the app localizes itself is shown as its key. */
function alertText(alert, name) {
  const key = alert[`${name === 'body' ? '' : `${name}-`}loc-key`];
  return alert[name] ?? (key ? `‹${key}›` : undefined);
}

/** A push that shows nothing. */
function silentPush(aps, icon) {
  const text = aps['content-available'] ? 'A silent push wakes the app.' : 'The payload has no alert.';
  return el('div', { class: 'push' }, icon('·'), el('b', {}, 'Nothing is shown'), el('span', { class: 'text' }, text));
}

/** One notification; `app` is the bundle id. */
export function phone(app, language, payload) {
  const aps = payload?.aps ?? {};
  const alert = typeof aps.alert === 'string' ? { body: aps.alert } : aps.alert ?? {};
  const name = app.split('.').pop() || 'App';
  const icon = (text) => el('span', { class: 'icon', 'aria-hidden': 'true' }, text);
  const [title, subtitle, body] = ['title', 'subtitle', 'body'].map((each) => alertText(alert, each));
  const push = aps.alert === undefined ? silentPush(aps, icon) : el('div', { class: 'push' },
    icon(name[0].toUpperCase()), el('b', {}, el('span', {}, title ?? name), el('small', {}, 'now')),
    subtitle ? el('strong', {}, subtitle) : null, el('span', { class: 'text' }, body ?? ''));
  return el('div', { class: 'phone' }, el('div', { class: 'lang' }, language), push);
}

/** The notifications of a content: one for each language, and one for all others. */
export function phones(app, { payload, bodies = [] }) {
  const found = bodies.map((each) => phone(app, each.language, each.payload));
  if (payload) found.unshift(phone(app, bodies.length ? 'every other language' : 'every language', payload));
  return found;
}
