// Requests to the server, and polls that stop while the page is hidden.
import { setText } from './dom.js';

export class Refused extends Error {
  constructor(status, error) {
    super(error.message || error.code);
    const { code, effect, field, item, column, limit } = error;
    Object.assign(this, { status, code, effect, field, item, column, limit });
  }
  /** The refusal as a sentence, which also tells what became of the request. */
  get sentence() {
    const effect = this.effect === 'unknown' ? ' It is not known whether it took effect.' : '';
    const where = this.field ? ` (${this.field}${this.item === undefined ? '' : `, item ${this.item}`})` : '';
    return `${this.message}${where}.${effect}`;
  }
}

const watchers = { loggedOut() {}, connection() {} };
export function watch(handlers) { Object.assign(watchers, handlers); }

/** Makes a request below /api/. With `poll` it does not keep the session alive. */
export async function api(path, body = {}, { poll = false, signal } = {}) {
  const headers = { 'content-type': 'application/json' };
  if (poll) headers['x-carillon-poll'] = '1';
  let answer;
  try {
    const options = { method: 'POST', headers, body: JSON.stringify(body), signal, credentials: 'same-origin' };
    answer = await fetch(`/api/${path}`, options);
  } catch (error) {
    if (error.name !== 'AbortError') watchers.connection(false);
    throw error;
  }
  watchers.connection(true);
  const json = await answer.json().catch(() => (
    { error: { code: 'INTERNAL', message: `the server has answered ${answer.status}` } }));
  if (answer.ok) return json;
  if (answer.status === 401 && path !== 'login') watchers.loggedOut();
  throw new Refused(answer.status, json.error ?? {});
}

/** A request of the protocol. */
export const call = (name, body, options) => api(`v1/${name}`, body, options);

export const sentence = (error) => (error instanceof Refused ? error.sentence : 'The server cannot be reached.');

let refreshMilliseconds = Number(localStorage.getItem('carillon-refresh') ?? 2000);
let endPause = null;
/** The interval after which polls ask the server again, in milliseconds; 0 = never. */
export const refresh = {
  get: () => refreshMilliseconds,
  set(milliseconds) {
    refreshMilliseconds = milliseconds;
    localStorage.setItem('carillon-refresh', milliseconds);
    endPause?.();
  },
};

/** Counts the polls that ask the server again and again, without the polls of hidden pages. Tests read it. */
let polls = 0;
function countPolls(change) { polls += change; document.documentElement.dataset.polls = polls; }

/**
 * Resolves after a time, or when the refresh interval changes or the signal aborts. A hidden page waits until it is
 * shown.
 */
function pause(signal, milliseconds) {
  return new Promise((resolve) => {
    let isHidden = false;
    const timer = milliseconds ? setTimeout(done, Math.max(1000, milliseconds)) : null;
    function done() {
      if (document.hidden && !signal.aborted) {
        if (!isHidden) countPolls(-1);
        isHidden = true;
        return document.addEventListener('visibilitychange', done, { once: true });
      }
      if (isHidden) countPolls(1);
      isHidden = false;
      clearTimeout(timer);
      endPause = null;
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    }
    endPause = done;
    signal.addEventListener('abort', done);
  });
}

/**
 * Calls `step` again and again until the signal aborts. Between two calls it waits for the refresh interval, or longer
 * after an error, and until the page is shown.
 */
export async function poll(signal, step) {
  let failures = 0;
  countPolls(1);
  while (!signal.aborted) {
    try {
      await step();
      failures = 0;
    } catch {
      failures += 1;
    }
    if (!signal.aborted) await pause(signal, failures ? Math.min(10000, 1000 * 2 ** failures) : refreshMilliseconds);
  }
  countPolls(-1);
}

/** Polls, and shows the errors of `step` in a line; `textOf` makes their text. */
export function pollWithErrors(signal, line, step, textOf = sentence) {
  return poll(signal, async () => {
    try {
      await step();
    } catch (problem) {
      if (signal.aborted) return;
      setText(line, textOf(problem));
      throw problem;
    }
  });
}

/** Reads events as they come; `onevent` gets each. Returns when the stream ends. */
export async function readEvents(body, signal, onopen, onevent) {
  const answer = await fetch('/api/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-carillon-poll': '1' },
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok) {
    if (answer.status === 401) watchers.loggedOut();
    throw new Refused(answer.status, (await answer.json()).error ?? {});
  }
  onopen();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line) onevent(JSON.parse(line));
  }
}
