// One box for a token, a device, a group or a topic, and the cards with what is stored of it.
import {
  el, setText, field, pageHead, chosenApp, errorLine, doneLine, buttonRow, cardGrid,
} from './dom.js';
import { call, sentence } from './api.js';
import { deviceCards } from './lookup-device.js';
import { nameCards } from './lookup-names.js';
import { deviceOf } from './trace.js';

/** The form with the box; `onSearch` gets its text. */
function searchForm(box, onSearch) {
  const onsubmit = (event) => {
    event.preventDefault();
    history.replaceState(null, '', `#/lookup?q=${encodeURIComponent(box.value.trim())}`);
    onSearch();
  };
  return el('form', { class: 'fields', onsubmit }, field('Device id, token, group or topic', box),
    buttonRow(el('button', { type: 'submit', class: 'primary' }, 'Look up')));
}

/** What the cards need: requests about the app, and changes after which the search is made again. */
function lookupPage(context, signal, { error, done, result, search }) {
  const request = (name, body) => call(name, { app: context.app, ...body }, { signal });
  return {
    context,
    request,
    mayChange: () => context.may(context.app, 'register'),
    async change(name, body, text) {
      setText(error, '');
      try {
        const answer = await request(name, body);
        setText(done, text);
        done.hidden = false;
        await search();
        return answer;
      } catch (problem) {
        setText(error, sentence(problem));
        return null;
      }
    },
    clear() {
      result.replaceChildren();
      setText(error, '');
    },
  };
}

function show(main, { parameters, signal, context }) {
  const box = el('input', {
    value: parameters.get('q') ?? '', 'data-search': true, spellcheck: 'false', autocomplete: 'off',
    placeholder: '5008, a token, user/42 or level5',
  });
  const error = errorLine();
  const done = doneLine();
  const result = cardGrid();
  const page = lookupPage(context, signal, { error, done, result, search });

  async function searchFor(text) {
    const target = deviceOf(text);
    if (typeof target === 'object' || /^\d+$/.test(text)) {
      return result.replaceChildren(...await deviceCards(page, target, parameters.get('message')));
    }
    const cards = await nameCards(page, text);
    result.replaceChildren(...cards);
    if (!cards.length) setText(error, `There is no group and no topic that begins with “${text}”.`);
  }
  async function search() {
    const text = box.value.trim();
    setText(error, '');
    if (!text) return;
    if (!context.app) return setText(error, 'Choose an app on the left.');
    try {
      await searchFor(text);
    } catch (problem) {
      if (signal.aborted) return;
      const isMissing = problem.code === 'NOT_FOUND';
      result.replaceChildren();
      setText(error, isMissing ? 'No such device is registered in this app.' : sentence(problem));
    }
  }
  const form = searchForm(box, () => {
    done.hidden = true;
    search();
  });
  main.append(pageHead('Look up', chosenApp(context)), el('section', { class: 'card' }, form, error, done), result);
  if (box.value) search(); else box.focus();
}

export default { title: 'Look up', show };
