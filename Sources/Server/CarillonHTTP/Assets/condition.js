// A field for a condition: its count while it is typed, errors under their column, names that complete.
import { el, field, setText, table, tableRow, number, counted, fieldGroup, wide } from './dom.js';
import { call, Refused, sentence } from './api.js';

/** The maximum of names that are suggested. */
const MAXIMUM_SUGGESTIONS = 8;
/** The pause after the last key, in milliseconds, before the condition is counted. */
const TYPING_PAUSE_MILLISECONDS = 300;

const NOTE = "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). "
  + 'Names complete within quotes.';

/** The place of the name that is typed: its kind, and the text before the caret; null outside of quotes. */
function placeOf(text, caret) {
  const before = text.slice(0, caret);
  const quote = before.lastIndexOf("'");
  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
}

/** The line of a condition that has the error, a caret under its column, and the fault. A column counts bytes. */
function faultText(condition, problem) {
  if (!(problem instanceof Refused && problem.column)) return sentence(problem);
  const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
  const before = new TextDecoder().decode(bytes);
  const start = before.lastIndexOf('\n') + 1;
  const line = condition.slice(start).split('\n')[0];
  return `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`;
}

/** The count of a condition, its canonical form, the devices of its terms, and its fault. */
function explanationOf(context, signal, { input, onCount }) {
  const fault = el('pre', { class: 'caret', hidden: true, role: 'alert' });
  const count = el('p', { class: 'count', role: 'status' }, '–');
  const canonical = el('code', {}, '');
  const sets = table('Devices of each term', ['Term', '#Devices']);
  let serial = 0;

  function clear() {
    setText(count, '–');
    setText(canonical, '');
    sets.body.replaceChildren();
  }
  function draw(answer) {
    fault.hidden = true;
    setText(count, counted(answer.devices, 'device'));
    setText(canonical, answer.condition);
    sets.body.replaceChildren(...answer.sets.map((each) => (
      tableRow([el('code', {}, each.set), `#${number(each.devices)}`]))));
    onCount(answer.devices);
  }
  function drawFault(condition, problem) {
    clear();
    fault.hidden = false;
    setText(fault, faultText(condition, problem));
    onCount(null);
  }
  async function explain() {
    const condition = input.value;
    const turn = ++serial;
    if (!condition.trim()) {
      clear();
      fault.hidden = true;
      return onCount(null);
    }
    try {
      const answer = await call('explain', { app: context.app, condition }, { signal });
      if (turn === serial) draw(answer);
    } catch (problem) {
      if (turn === serial && !signal.aborted) drawFault(condition, problem);
    }
  }
  return { fault, count, canonical, sets, explain, serial: () => serial };
}

/** The topics and groups that begin with a prefix, each as name, kind and devices. */
async function namesWith(place, app, signal) {
  const wanted = { app, prefix: place.prefix, limit: MAXIMUM_SUGGESTIONS };
  const [topics, groups] = await Promise.all([
    place.kind === 'groups' ? null : call('topics', wanted, { signal }),
    place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
  return [...(topics?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]),
    ...(groups?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, MAXIMUM_SUGGESTIONS);
}

/** Makes an option of the list; `take(name, kind)` takes its name. */
function nameOption([name, kind, devices], index, take) {
  const onpointerdown = (event) => {
    event.preventDefault();
    take(name, kind);
  };
  return el('li', { role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', onpointerdown },
    el('span', {}, name), el('small', {}, `${kind}, ${counted(devices, 'device')}`));
}

/** The list of names below the field, one of which may be chosen; `take(name, kind)` takes one. */
function suggestionList(input, take) {
  const node = el('ul', { role: 'listbox', id: 'suggestions', hidden: true, 'aria-label': 'Names' });
  let names = [];
  let chosen = -1;
  function choose(index) {
    chosen = index;
    [...node.children].forEach((each, position) => each.setAttribute('aria-selected', String(position === index)));
    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`);
    else input.removeAttribute('aria-activedescendant');
  }
  function close() {
    node.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }
  function open(found) {
    names = found;
    node.replaceChildren(...names.map((each, index) => nameOption(each, index, take)));
    node.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    choose(-1);
  }
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (node.hidden) return;
    const last = node.children.length - 1;
    const action = {
      ArrowDown: () => choose(chosen >= last ? 0 : chosen + 1),
      ArrowUp: () => choose(chosen <= 0 ? last : chosen - 1),
      Escape: close,
      Enter: chosen >= 0 ? () => take(names[chosen][0], names[chosen][1]) : undefined,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  return { node, open, close };
}

/** Completes the names of a condition while it is typed; `serial()` is the number of the last count of it. */
function nameCompletion(context, signal, { input, serial, onTaken }) {
  const list = suggestionList(input, take);
  let place = null;

  function take(name, kind) {
    const end = place.start + place.prefix.length;
    const rest = input.value.slice(end).replace(/^[^'\s)]*'?(\s*in\s+(topics|groups))?/, '');
    const text = `${input.value.slice(0, place.start)}${name}' in ${kind}`;
    input.value = text + rest;
    input.setSelectionRange(text.length, text.length);
    list.close();
    onTaken();
  }
  async function suggest() {
    place = placeOf(input.value, input.selectionStart);
    const turn = serial();
    if (!place || !context.app) return list.close();
    try {
      const names = await namesWith(place, context.app, signal);
      if (turn > serial() || document.activeElement !== input) return;
      const isComplete = names.length === 1 && names[0][0] === place.prefix;
      if (!names.length || isComplete) return list.close();
      list.open(names);
    } catch {
      list.close();
    }
  }
  return { node: list.node, suggest };
}

/** The field. `onCount` gets the number of devices, or null if it is not known. */
export function conditionField(context, signal, { value = '', onCount = () => {} } = {}) {
  const input = el('textarea', {
    class: 'mono', rows: '3', spellcheck: 'false', autocomplete: 'off', maxlength: '16384', 'data-search': true, value,
    role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': 'suggestions',
  });
  const { fault, count, canonical, sets, explain, serial } = explanationOf(context, signal, { input, onCount });
  let timer = null;
  function changed() {
    clearTimeout(timer);
    timer = setTimeout(explain, TYPING_PAUSE_MILLISECONDS);
  }
  const completion = nameCompletion(context, signal, { input, serial, onTaken: changed });
  input.addEventListener('input', () => {
    changed();
    completion.suggest();
  });
  signal.addEventListener('abort', () => clearTimeout(timer));
  const node = fieldGroup(wide(field('Condition', input, NOTE),
    el('div', { class: 'suggestions' }, completion.node), fault));
  if (value) explain();
  return { node, input, count, canonical, sets, explain };
}
