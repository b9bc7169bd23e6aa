// A notification as a phone shows it, for each language of a message.
import { el } from './dom.js';

/** One notification; `app` is the bundle id. */
export function phone(app, language, payload) {
  const aps = payload?.aps ?? {};
  const alert = typeof aps.alert === 'string' ? { body: aps.alert } : aps.alert ?? {};
  const name = app.split('.').pop() || 'App';
  const icon = (text) => el('span', { class: 'icon', 'aria-hidden': 'true' }, text);
  // A text that the app has in its own language is named by its key.
  const text = (field) => alert[field] ?? (alert[`${field === 'body' ? '' : `${field}-`}loc-key`] ? `‹${alert[`${field === 'body' ? '' : `${field}-`}loc-key`]}›` : undefined);
  const isShown = aps.alert !== undefined;
  const push = isShown
    ? el('div', { class: 'push' }, icon(name[0].toUpperCase()), el('b', {}, el('span', {}, text('title') ?? name), el('small', {}, 'now')),
      text('subtitle') ? el('strong', {}, text('subtitle')) : null, el('span', { class: 'text' }, text('body') ?? ''))
    : el('div', { class: 'push' }, icon('·'), el('b', {}, 'Nothing is shown'), el('span', { class: 'text' }, aps['content-available'] ? 'A silent push wakes the app.' : 'The payload has no alert.'));
  return el('div', { class: 'phone' }, el('div', { class: 'lang' }, language), push);
}

/** The notifications of a content: that of each language, and that of all others. */
export function phones(app, { payload, bodies = [] }) {
  const found = bodies.map((each) => phone(app, each.language, each.payload));
  if (payload) found.unshift(phone(app, bodies.length ? 'every other language' : 'every language', payload));
  return found;
}
