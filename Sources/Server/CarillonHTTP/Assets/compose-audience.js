// The audience of a new message.
import { el, card, field, select, fieldGroup, wide } from './dom.js';
import { conditionField } from './condition.js';
import { textInput } from './compose-content.js';
import { deviceOf } from './trace.js';

const KINDS = [['topic', 'a topic'], ['groups', 'groups'], ['condition', 'a condition'], ['devices', 'devices'],
  ['all', 'every device of the app']];

/** The names of a text, which has spaces or commas between them. */
const namesOf = (text) => text.trim().split(/[\s,]+/).filter(Boolean);

/**
 * The form for the audience. It begins with the kind *topic*, or with `initialCondition` if that is not null. `onInput`
 * is called when another kind is chosen.
 */
export function audienceForm(context, signal, { initialCondition, onInput }) {
  const kind = select(KINDS, initialCondition ? 'condition' : 'topic');
  const topic = textInput({ maxlength: '200', spellcheck: 'false' });
  const groups = textInput({ placeholder: 'user/42 user/43', spellcheck: 'false' });
  const devices = el('textarea', {
    class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them',
  });
  const condition = conditionField(context, signal, { value: initialCondition ?? '' });
  const fieldsByKind = {
    topic: field('Topic', topic),
    groups: field('Groups', groups),
    condition: wide(condition.node, condition.count),
    devices: wide(field('Devices', devices)),
    all: el('p', { class: 'soft' }, 'Every registered device gets it.'),
  };
  kind.addEventListener('input', onInput);
  return {
    node: card('Audience', fieldGroup(field('For', kind), Object.values(fieldsByKind))),
    kind: () => kind.value,
    showKind() {
      for (const [name, node] of Object.entries(fieldsByKind)) node.hidden = name !== kind.value;
    },
    /** The part of a SEND that is about its audience. */
    requestPart() {
      switch (kind.value) {
        case 'topic': return { topic: topic.value.trim() };
        case 'groups': return { groups: namesOf(groups.value) };
        case 'condition': return { condition: condition.input.value };
        case 'devices': return { devices: namesOf(devices.value).map(deviceOf) };
        default: return {};
      }
    },
  };
}
