// The events of the server, as they happen.
import { el, table, tableRow, time, setText, field, select, counted, button } from './dom.js';
import { events as stream, sentence } from './api.js';

const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved', 'message-steered', 'connection-up', 'connection-down',
  'credential-refused', 'bad-tokens-began', 'bad-tokens-ended', 'pool-unreachable', 'pool-reachable'];
const SHOWN = 500;
const OLDEST = '18446744073709551614';

function show(main, { parameters, signal, context }) {
  const kind = select([['', 'every kind'], ...KINDS], parameters.get('kind') ?? '');
  const text = el('input', { 'data-search': true, placeholder: 'message, device or word', spellcheck: 'false' });
  const error = el('p', { class: 'error', role: 'alert' });
  const state = el('span', { class: 'soft', role: 'status' }, 'connecting');
  const list = table('Events', ['#Number', 'Time', 'Kind', 'App', 'About', 'Text']);
  list.node.classList.add('log');
  let last = null;
  let attempt = null;
  let found = [];
  main.append(el('div', { class: 'head' }, el('h1', {}, 'Events'), state, el('div', { class: 'buttons' }, button('Clear', () => { found = []; list.body.replaceChildren(); }))),
    el('section', { class: 'card' }, el('div', { class: 'fields' }, field('Kind', kind), field('Shows only', text)), error, list.node));

  function about(event) {
    const parts = [];
    const app = encodeURIComponent(event.app ?? context.app);
    if (event.message_id) parts.push(el('a', { href: `#/message/${app}/${event.message_id}` }, `message ${event.message_id}`), ' ');
    if (event.device_id) parts.push(el('a', { href: `#/lookup?app=${app}&q=${event.device_id}` }, `device ${event.device_id}`), ' ');
    if (event.outcome) parts.push(`${event.outcome} `);
    if (event.count) parts.push(`${counted(event.count, 'device')} `);
    if (event.traceparent) parts.push(el('small', {}, 'trace ', el('code', {}, event.traceparent.split('-')[1])));
    if (event.kind === 'gap') parts.push(`events ${event.missed_from} to ${event.missed_to - 1} were removed before they could be shown`);
    return parts;
  }

  const matches = (row) => !text.value.trim() || row.textContent.toLowerCase().includes(text.value.trim().toLowerCase());

  function add(event) {
    last = event.sequence;
    const row = el('tr', { class: event.kind === 'gap' ? 'gap' : null }, [el('td', { class: 'number' }, String(event.sequence)), el('td', {}, time(event.at)), el('td', {}, String(event.kind)), el('td', {}, event.app ?? '–'), el('td', {}, about(event)), el('td', {}, event.text ?? '')]);
    row.hidden = !matches(row);
    list.body.prepend(row);
    found.unshift(row);
    while (found.length > SHOWN) found.pop().remove();
  }

  text.addEventListener('input', () => { for (const row of found) row.hidden = !matches(row); });
  kind.addEventListener('change', () => { found = []; list.body.replaceChildren(); last = null; attempt?.abort(); });

  async function follow() {
    let failures = 0;
    while (!signal.aborted) {
      if (document.hidden) await new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true }); });
      attempt = new AbortController();
      const stop = () => attempt.abort();
      const hide = () => { if (document.hidden) attempt.abort(); };
      signal.addEventListener('abort', stop);
      document.addEventListener('visibilitychange', hide);
      try {
        const wanted = { from: last ?? OLDEST };
        if (kind.value) wanted.kinds = [kind.value];
        await stream(wanted, attempt.signal, () => { failures = 0; setText(error, ''); setText(state, 'live'); }, add);
      } catch (problem) {
        if (problem.name !== 'AbortError' && !signal.aborted) {
          failures += 1;
          setText(error, sentence(problem));
          if (problem.code === 'FORBIDDEN') { setText(state, ''); return; }
        }
      }
      signal.removeEventListener('abort', stop);
      document.removeEventListener('visibilitychange', hide);
      if (signal.aborted) return;
      setText(state, 'connecting');
      if (failures) await new Promise((resolve) => { setTimeout(resolve, Math.min(10000, 1000 * 2 ** failures)); });
    }
  }
  follow();
}

export default { title: 'Events', show };
