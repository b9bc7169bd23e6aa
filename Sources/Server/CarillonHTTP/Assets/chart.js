// A chart of lines or stacked areas over time, with a cursor, gaps, and the same figures as a table.
import { el, svg, setText, compact, number } from './dom.js';

const WIDTH = 720;
const HEIGHT = 190;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;
/** Where the cursor is while it is not shown. */
const HIDDEN_CURSOR_X = -10;
const MAXIMUM_TABLE_ROWS = 60;

const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The next round number: 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
}

/** The scales from time and value to the picture. */
function scalesOf({ from, to }, top) {
  return {
    top,
    x: (moment) => LEFT + (moment - from) / (to - from) * (WIDTH - LEFT),
    y: (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM),
  };
}

/** The lines of the grid, and the texts beside them. */
function gridOf(textOf) {
  const lines = svg('g', { class: 'grid' });
  const labels = el('div', { class: 'labels', 'aria-hidden': 'true' });
  function label(name, { left, top }, text) {
    const node = el('span', { class: name }, text);
    node.style.left = `${left / WIDTH * 100}%`;
    node.style.top = `${top / HEIGHT * 100}%`;
    return node;
  }
  /** The class of a label of the time axis: labels in the middle may give way. */
  function timeClass(part) {
    if (part === 1) return 'x end';
    if (part === 0) return 'x start';
    return part === 0.5 ? 'x' : 'x minor';
  }
  function draw({ from, to }, { top, x, y }) {
    const span = to - from;
    const clock = span < 600000 ? seconds : hours;
    lines.replaceChildren(...[0, 0.5, 1].map((part) => (
      svg('line', { x1: LEFT, x2: WIDTH, y1: y(top * part), y2: y(top * part) }))));
    const values = [0, 0.5, 1].map((part) => label('y', { left: LEFT, top: y(top * part) }, textOf(top * part)));
    const times = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const moment = from + span * part;
      return label(timeClass(part), { left: x(moment), top: HEIGHT - BOTTOM + 4 }, clock.format(new Date(moment)));
    });
    labels.replaceChildren(...values, ...times);
  }
  return { lines, labels, draw };
}

/** The path of points without a gap: a line, or an area down to the lower values. */
function runPath(run, isArea) {
  if (!run.length) return '';
  const upper = run.map(({ x, high }) => `${x},${high}`).join('L');
  if (!isArea) return `M${upper}`;
  return `M${upper}L${run.slice().reverse().map(({ x, low }) => `${x},${low}`).join('L')}Z`;
}

/** The path of one series. If `sums` are given, the series is stacked on them, and its values are added to them. */
function seriesPath(at, values, { sums, maximumGapMilliseconds, scales }) {
  let path = '';
  let run = [];
  const flush = () => {
    path += runPath(run, sums !== null);
    run = [];
  };
  at.forEach((moment, row) => {
    // A longer time without samples is a gap, not a line.
    if (row > 0 && moment - at[row - 1] > maximumGapMilliseconds) flush();
    const low = sums ? sums[row] : 0;
    const high = low + values[row];
    if (sums) sums[row] = high;
    run.push({ x: scales.x(moment).toFixed(1), low: scales.y(low).toFixed(1), high: scales.y(high).toFixed(1) });
  });
  flush();
  return path;
}

/** The names of the series and their values at one time, beside the picture. */
function legendOf(title, series) {
  const values = series.map(() => el('b', {}, '–'));
  const list = el('ul', { class: 'legend' }, series.map((each, index) => (
    el('li', { class: `key-${each.name}` }, el('i', { 'aria-hidden': 'true' }), `${each.label} `, values[index]))));
  const moment = el('span', { class: 'when' }, '');
  function show(momentText, valueTexts) {
    setText(moment, momentText);
    values.forEach((each, index) => setText(each, valueTexts[index]));
  }
  return { list, caption: el('figcaption', {}, el('span', {}, title), moment), show };
}

/** The rows of the table, the newest first; of too many samples only every second one, every third one and so on. */
function tableRows({ at }, series, valueText) {
  const step = Math.max(1, Math.ceil(at.length / MAXIMUM_TABLE_ROWS));
  const shown = at.map((_, row) => row).reverse().filter((_, index) => index % step === 0);
  return shown.map((row) => el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(at[row]))),
    series.map((each) => el('td', { class: 'number' }, valueText(each, row)))));
}

/** The figures as a table, which is filled while it is open. */
function figureTable(title, series, fill) {
  const body = el('tbody');
  const heads = series.map((each) => el('th', { scope: 'col', class: 'number' }, each.label));
  const whole = el('table', {}, el('caption', {}, title),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), heads)), body);
  const node = el('details', {}, el('summary', {}, 'Figures'), el('div', { class: 'scroll' }, whole));
  const update = () => { if (node.open) body.replaceChildren(...fill()); };
  node.addEventListener('toggle', update);
  return { node, update };
}

/** The picture with its paths, its grid and its cursor, in a frame. */
function pictureOf(title, series, { stacked, grid }) {
  const kind = stacked ? 'area' : 'line';
  const paths = series.map((each) => svg('path', { class: `line-${each.name} ${kind}`, d: '' }));
  const hidden = { x1: HIDDEN_CURSOR_X, x2: HIDDEN_CURSOR_X };
  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, ...hidden });
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title, tabindex: '0',
  }, grid.lines, ...paths, cursor, svg('g', { class: 'marks' }));
  return {
    frame: el('div', { class: 'frame' }, picture, grid.labels),
    picture,
    paths,
    moveCursor(x) {
      cursor.setAttribute('x1', x);
      cursor.setAttribute('x2', x);
    },
  };
}

/** Lets a pointer and the keys choose a sample of the picture; `state()` has the samples, -1 is the newest. */
function followPointer(picture, state, choose) {
  let chosen = -1;
  function take(index) {
    chosen = Math.max(-1, Math.min(index, state().at.length - 1));
    choose(chosen);
  }
  function nearest(clientX) {
    const { at, from, to } = state();
    const box = picture.getBoundingClientRect();
    const moment = from + ((clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (to - from);
    const distance = (index) => Math.abs(at[index] - moment);
    let best = -1;
    at.forEach((_, index) => { if (best < 0 || distance(index) < distance(best)) best = index; });
    return best;
  }
  picture.addEventListener('pointermove', (event) => take(nearest(event.clientX)));
  picture.addEventListener('pointerleave', () => take(-1));
  picture.addEventListener('blur', () => take(-1));
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const count = state().at.length;
    if (!step || !count) return;
    event.preventDefault();
    take(Math.max(0, (chosen < 0 ? count : chosen) + step));
  });
  /** Chooses the newest sample again if the chosen one is gone. */
  return () => {
    if (chosen >= state().at.length) chosen = -1;
    choose(chosen);
  };
}

/** The highest value at each time; the sum if the series are stacked. */
function highestValues(at, columns, { series, stacked }) {
  return at.map((_, row) => {
    const values = series.map((each) => columns[each.name][row]);
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
}

/** The state of the picture: the samples, and the time from which and to which they are shown. */
function stateOf(at, columns, { from, to } = {}) {
  const begin = from ?? at[0] ?? Date.now() - 1000;
  const end = to ?? at[at.length - 1] ?? Date.now();
  return { at, columns, from: begin, to: end <= begin ? begin + 1000 : end };
}

/** The text for those who cannot see the picture: the newest values, and the highest one. */
function descriptionOf(title, { at, columns }, series, { highest, format, unit }) {
  if (!at.length) return `${title}. No figures yet.`;
  const now = series.map((each) => (
    `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`));
  return `${title}. Now ${now.join(', ')}. At most ${format(Math.max(...highest))}${unit}.`;
}

/**
 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
 * `update(at, columns, range)` draws it: times in ms, a list of values for each name, and the time that is shown.
 */
export function chart(title, series, options = {}) {
  const { stacked = false, unit = '', format = compact, maximumGapMilliseconds = 15000 } = options;
  let state = { at: [], columns: {} };
  let scales = null;
  const valueText = (each, row) => `${(each.format ?? format)(state.columns[each.name][row])}${unit}`;
  const grid = gridOf((value) => `${format(value)}${unit}`);
  const { frame, picture, paths, moveCursor } = pictureOf(title, series, { stacked, grid });
  const legend = legendOf(title, series);
  const figures = figureTable(title, series, () => tableRows(state, series, valueText));
  const redraw = followPointer(picture, () => state, (index) => {
    const { at } = state;
    const isNewest = index < 0;
    const row = isNewest ? at.length - 1 : index;
    legend.show(isNewest ? '' : seconds.format(new Date(at[row])),
      series.map((each) => (at.length ? valueText(each, row) : '–')));
    moveCursor(isNewest ? HIDDEN_CURSOR_X : scales.x(at[row]));
  });
  function update(at, columns, range) {
    state = stateOf(at, columns, range);
    const highest = highestValues(at, columns, { series, stacked });
    scales = scalesOf(state, roundUp(Math.max(1, ...highest)));
    grid.draw(state, scales);
    const sums = stacked ? at.map(() => 0) : null;
    paths.forEach((each, index) => (
      each.setAttribute('d', seriesPath(at, columns[series[index].name], { sums, maximumGapMilliseconds, scales }))));
    picture.setAttribute('aria-label', descriptionOf(title, state, series, { highest, format, unit }));
    redraw();
    figures.update();
  }
  const node = el('figure', { class: 'chart' }, legend.caption, frame, legend.list, figures.node);
  return { node, update };
}
