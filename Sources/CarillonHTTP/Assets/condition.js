// A field for a condition: its count while it is typed, errors under their column, names that complete.
import { el, field, setText, table, tableRow, number, counted } from './dom.js';
import { call, Refused, sentence } from './api.js';

/** The place of the name that is typed: its kind, and what is typed of it; null outside of quotes. */
function placeOf(text, caret) {
  const before = text.slice(0, caret);
  const quote = before.lastIndexOf("'");
  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
}

export function conditionField(context, signal, { value = '', onCount = () => {} } = {}) {
  const input = el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', autocomplete: 'off', maxlength: '16384', 'data-search': true, value,
    role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': 'suggestions' });
  const list = el('ul', { role: 'listbox', id: 'suggestions', hidden: true, 'aria-label': 'Names' });
  const fault = el('pre', { class: 'caret', hidden: true, role: 'alert' });
  const count = el('p', { class: 'count', role: 'status' }, '–');
  const canonical = el('code', {}, '');
  const sets = table('Devices of each term', ['Term', '#Devices']);
  let timer = null;
  let serial = 0;
  let chosen = -1;
  let place = null;

  async function explain() {
    const condition = input.value;
    const turn = ++serial;
    if (!condition.trim()) {
      setText(count, '–'); setText(canonical, ''); fault.hidden = true; sets.body.replaceChildren();
      return onCount(null);
    }
    try {
      const answer = await call('explain', { app: context.app, condition }, { signal });
      if (turn !== serial) return;
      fault.hidden = true;
      setText(count, counted(answer.devices, 'device'));
      setText(canonical, answer.condition);
      sets.body.replaceChildren(...answer.sets.map((each) => tableRow([el('code', {}, each.set), `#${number(each.devices)}`])));
      onCount(answer.devices);
    } catch (problem) {
      if (turn !== serial || signal.aborted) return;
      setText(count, '–');
      sets.body.replaceChildren();
      setText(canonical, '');
      fault.hidden = false;
      if (problem instanceof Refused && problem.column) {
        // The column counts bytes; the caret stands under the line that has it.
        const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
        const before = new TextDecoder().decode(bytes);
        const start = before.lastIndexOf('\n') + 1;
        const line = condition.slice(start).split('\n')[0];
        setText(fault, `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`);
      } else setText(fault, sentence(problem));
      onCount(null);
    }
  }

  async function suggest() {
    place = placeOf(input.value, input.selectionStart);
    const turn = serial;
    if (!place || !context.app) return close();
    const wanted = { app: context.app, prefix: place.prefix, limit: 8 };
    try {
      const found = await Promise.all([place.kind === 'groups' ? null : call('topics', wanted, { signal }), place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
      if (turn > serial || !document.activeElement || document.activeElement !== input) return;
      const names = [...(found[0]?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]), ...(found[1]?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, 8);
      if (!names.length || (names.length === 1 && names[0][0] === place.prefix)) return close();
      list.replaceChildren(...names.map(([name, kind, devices], index) => el('li', {
        role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', onpointerdown: (event) => { event.preventDefault(); take(name, kind); },
      }, el('span', {}, name), el('small', {}, `${kind}, ${counted(devices, 'device')}`))));
      list.names = names;
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
      choose(-1);
    } catch { close(); }
  }

  function close() {
    list.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function choose(index) {
    chosen = index;
    [...list.children].forEach((node, position) => node.setAttribute('aria-selected', String(position === index)));
    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`); else input.removeAttribute('aria-activedescendant');
  }

  function take(name, kind) {
    const rest = input.value.slice(place.start + place.prefix.length).replace(/^[^'\s)]*'?(\s*in\s+(topics|groups))?/, '');
    const text = `${input.value.slice(0, place.start)}${name}' in ${kind}`;
    input.value = text + rest;
    input.setSelectionRange(text.length, text.length);
    close();
    changed();
  }

  function changed() {
    clearTimeout(timer);
    timer = setTimeout(explain, 300);
  }

  input.addEventListener('input', () => { changed(); suggest(); });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    const last = list.children.length - 1;
    if (event.key === 'ArrowDown') { event.preventDefault(); choose(chosen >= last ? 0 : chosen + 1); }
    if (event.key === 'ArrowUp') { event.preventDefault(); choose(chosen <= 0 ? last : chosen - 1); }
    if (event.key === 'Escape') { event.preventDefault(); close(); }
    if (event.key === 'Enter' && chosen >= 0) { event.preventDefault(); take(list.names[chosen][0], list.names[chosen][1]); }
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
  const node = el('div', { class: 'fields' }, el('div', { class: 'wide' }, field('Condition', input, "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). Names complete within quotes."),
    el('div', { class: 'suggestions' }, list), fault));
  if (value) explain();
  return { node, input, count, canonical, sets, explain };
}
