/**
 * Code that is compiled for a layout: functions that name each field, instead of loops over a table. A loop meets all
 * types of all messages at the same place, which V8 cannot make fast.
 *
 * @module
 */
import { UnencodableError } from './wire.js';

/**
 * Runs source text and returns its result: a function. Undefined in a process that forbids that
 * (`--disallow-code-generation-from-strings`).
 *
 * @param {string} body
 * @param {Record<string, any>} scope the names that the text can use, and their values
 */
function compile(body, scope) {
  try {
    return new Function(...Object.keys(scope), body)(...Object.values(scope));
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/**
 * The function `write(writer, fields, own)` of a layout, or undefined. A field of `own` comes before that of `fields`.
 *
 * @param {import('./layout.js').Layout} layout
 */
export function compiledWriter(layout) {
  const scope = { UnencodableError };
  const lines = [];
  const addAssignmentOfValue = (field) => {
    lines.push(`value = own.${field.key}; if (value === undefined) value = fields.${field.key};`);
  };
  layout.fixed.forEach((field, index) => {
    scope[`t${index}`] = field.type;
    addAssignmentOfValue(field);
    lines.push(`writer.field = '${field.name}';`);
    if (!field.type.isOptional) {
      lines.push("if (value === undefined || value === null) throw new UnencodableError('is missing');");
    }
    lines.push(`t${index}.write(writer, value);`);
  });
  lines.push('writer.endFixed();', 'let tags = 0;');
  layout.tags.forEach((field, index) => {
    scope[`write${index}`] = field.type.writeRaw ?? field.type.write;
    addAssignmentOfValue(field);
    lines.push('if (value !== undefined && value !== null) {', `writer.field = '${field.name}';`, 'tags++;',
      `start = writer.beginTag(${field.tag});`, `write${index}(writer, value);`, 'writer.endTag(start);', '}');
  });
  lines.push('writer.tags = tags;');
  return compile(`return function write(writer, fields, own) { let value, start; ${lines.join('\n')} };`, scope);
}

/**
 * A function that reads the fixed part of a layout into an object, or undefined.
 *
 * @param {import('./layout.js').Layout} layout
 */
export function compiledReader(layout) {
  const scope = {};
  const members = layout.fixed.map((field, index) => {
    scope[`t${index}`] = field.type;
    return `${field.key}: t${index}.read(reader)`;
  });
  return compile(`return function read(reader) { return { ${members.join(', ')} }; };`, scope);
}
