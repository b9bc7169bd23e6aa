// A condition with its live count, before it is used.
import { el, card, pageHead, chosenApp, softLine, cardGrid } from './dom.js';
import { conditionField } from './condition.js';

function show(main, { parameters, signal, context }) {
  const use = el('a', { href: '#/compose', hidden: true }, 'Compose a message for it');
  const editor = conditionField(context, signal, {
    value: parameters.get('condition') ?? '',
    onCount(devices) {
      const text = editor?.input.value.trim() ?? '';
      use.hidden = devices === null || !context.may(context.app, 'send');
      use.href = `#/compose?condition=${encodeURIComponent(text)}`;
      history.replaceState(null, '', text ? `#/audience?condition=${encodeURIComponent(text)}` : '#/audience');
    },
  });
  const note = softLine('Each device once. Muted devices count, quarantined ones do not.');
  main.append(pageHead('Audience', chosenApp(context)), el('section', { class: 'card' }, editor.node), cardGrid(
    card('Would be addressed now', editor.count, note, el('p', {}, editor.canonical), use),
    card('Devices of each term', editor.sets.node)));
  editor.input.focus();
}

export default { title: 'Audience', show };
