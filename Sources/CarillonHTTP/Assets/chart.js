// A chart of lines or stacked areas over time, with a cursor, gaps, and the same figures as a table.
import { el, svg, setText, compact, number } from './dom.js';

const WIDTH = 720;
const HEIGHT = 190;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;

const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The next round number: 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
}

/**
 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
 * `update(at, columns)` draws it: times in ms, and a list of values for each name.
 */
export function chart(title, series, { stacked = false, unit = '', format = compact, gap = 15000 } = {}) {
  const grid = svg('g', { class: 'grid' });
  const marks = svg('g', { class: 'marks' });
  const paths = series.map((each) => svg('path', { class: `line-${each.name} ${stacked ? 'area' : 'line'}`, d: '' }));
  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, x1: -10, x2: -10 });
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title, tabindex: '0' },
    grid, ...paths, cursor, marks);
  const values = series.map((each) => el('b', {}, '–'));
  const legend = el('ul', { class: 'legend' }, series.map((each, index) =>
    el('li', { class: `key-${each.name}` }, el('i', { 'aria-hidden': 'true' }), `${each.label} `, values[index])));
  const when = el('span', { class: 'when' }, '');
  const body = el('tbody');
  const figures = el('details', {}, el('summary', {}, 'Figures'), el('div', { class: 'scroll' }, el('table', {}, el('caption', {}, title),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), series.map((each) => el('th', { scope: 'col', class: 'number' }, each.label)))), body)));
  const node = el('figure', { class: 'chart' }, el('figcaption', {}, el('span', {}, title), when), picture, legend, figures);
  let state = { at: [], columns: {} };
  let chosen = -1;

  function show(index) {
    const { at, columns } = state;
    const last = index < 0 ? at.length - 1 : index;
    setText(when, index < 0 || !at.length ? '' : seconds.format(new Date(at[last])));
    series.forEach((each, position) => setText(values[position], at.length ? `${(each.format ?? format)(columns[each.name][last])}${unit}` : '–'));
    const x = index < 0 ? -10 : state.x(at[index]);
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
  }

  function choose(index) {
    chosen = Math.max(-1, Math.min(index, state.at.length - 1));
    show(chosen);
  }

  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const moment = state.from + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (state.to - state.from);
    let best = -1;
    state.at.forEach((each, index) => { if (best < 0 || Math.abs(each - moment) < Math.abs(state.at[best] - moment)) best = index; });
    choose(best);
  });
  picture.addEventListener('pointerleave', () => choose(-1));
  picture.addEventListener('blur', () => choose(-1));
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !state.at.length) return;
    event.preventDefault();
    choose(Math.max(0, (chosen < 0 ? state.at.length : chosen) + step));
  });
  figures.addEventListener('toggle', () => fillTable());

  function fillTable() {
    if (!figures.open) return;
    const { at, columns } = state;
    const every = Math.max(1, Math.ceil(at.length / 60));
    const lines = [];
    for (let index = at.length - 1; index >= 0; index -= every) {
      lines.push(el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(at[index]))),
        series.map((each) => el('td', { class: 'number' }, `${(each.format ?? format)(columns[each.name][index])}${unit}`))));
    }
    body.replaceChildren(...lines);
  }

  function drawGrid(top, x, y) {
    const lines = [];
    for (const part of [0, 0.5, 1]) {
      lines.push(svg('line', { x1: LEFT, x2: WIDTH, y1: y(top * part), y2: y(top * part) }));
    }
    grid.replaceChildren(...lines);
    const texts = [];
    const text = (name, left, topPart, words) => {
      const label = el('span', { class: name }, words);
      label.style.left = `${left * 100}%`;
      label.style.top = `${topPart * 100}%`;
      return label;
    };
    for (const part of [0, 0.5, 1]) texts.push(text('y', LEFT / WIDTH, y(top * part) / HEIGHT, `${format(top * part)}${unit}`));
    const span = state.to - state.from;
    const writer = span < 600000 ? seconds : hours;
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      texts.push(text(`x${part === 1 ? ' end' : part === 0 ? ' start' : part === 0.5 ? '' : ' minor'}`, x(state.from + span * part) / WIDTH, (HEIGHT - BOTTOM + 4) / HEIGHT, writer.format(new Date(state.from + span * part))));
    }
    labels.replaceChildren(...texts);
  }

  const labels = el('div', { class: 'labels', 'aria-hidden': 'true' });
  const frame = el('div', { class: 'frame' });
  picture.replaceWith(frame);
  frame.append(picture, labels);

  function path(index, sums, x, y) {
    const { at, columns } = state;
    const name = series[index].name;
    let d = '';
    let run = [];
    const flush = () => {
      if (run.length && stacked) {
        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}L${run.slice().reverse().map(([left, low]) => `${left},${low}`).join('L')}Z`;
      } else if (run.length) {
        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}`;
      }
      run = [];
    };
    at.forEach((moment, row) => {
      // A time without samples is a gap, not a line.
      if (row > 0 && moment - at[row - 1] > gap) flush();
      const low = stacked ? sums[row] : 0;
      const high = low + columns[name][row];
      if (stacked) sums[row] = high;
      run.push([x(moment).toFixed(1), y(low).toFixed(1), y(high).toFixed(1)]);
    });
    flush();
    return d;
  }

  function update(at, columns, { from, to } = {}) {
    state = { at, columns, from: from ?? at[0] ?? Date.now() - 1000, to: to ?? at[at.length - 1] ?? Date.now() };
    if (state.to <= state.from) state.to = state.from + 1000;
    const highest = at.map((_, row) => {
      const each = series.map((one) => columns[one.name][row]);
      return stacked ? each.reduce((sum, value) => sum + value, 0) : Math.max(...each);
    });
    const top = roundUp(Math.max(1, ...highest));
    const x = (moment) => LEFT + (moment - state.from) / (state.to - state.from) * (WIDTH - LEFT);
    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
    state.x = x;
    drawGrid(top, x, y);
    const sums = at.map(() => 0);
    paths.forEach((each, index) => each.setAttribute('d', path(index, sums, x, y)));
    picture.setAttribute('aria-label', at.length
      ? `${title}. Now ${series.map((each) => `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`).join(', ')}. At most ${format(Math.max(...highest))}${unit}.`
      : `${title}. No figures yet.`);
    if (chosen >= at.length) chosen = -1;
    show(chosen);
    fillTable();
  }
  return { node, update };
}
