/**
 * Code that is compiled for a layout: functions that name each field, instead of loops over a table. A loop meets all
 * types of all messages at the same place, which V8 cannot make fast.
 *
 * @module
 */
import { Unencodable } from './wire.js';

/**
 * Makes functions of source text, or returns undefined in a process that forbids that
 * (`--disallow-code-generation-from-strings`).
 *
 * @param {string} body
 * @param {Record<string, any>} scope
 */
function made(body, scope) {
  try {
    return new Function(...Object.keys(scope), body)(...Object.values(scope));
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/**
 * The function `write` of a layout, or undefined.
 *
 * @param {import('./layout.js').Layout} layout
 */
export function compiledWriter(layout) {
  const scope = { Unencodable };
  const lines = [];
  const take = (field) => {
    lines.push(`value = own.${field.key}; if (value === undefined) value = fields.${field.key};`);
  };
  layout.fixed.forEach((field, index) => {
    scope[`t${index}`] = field.type;
    take(field);
    lines.push(`writer.field = '${field.name}';`);
    if (!field.type.isOptional) {
      lines.push("if (value === undefined || value === null) throw new Unencodable('is missing');");
    }
    lines.push(`t${index}.write(writer, value);`);
  });
  lines.push('writer.endFixed();', 'let tags = 0;');
  layout.tags.forEach((field, index) => {
    scope[`write${index}`] = field.type.writeRaw ?? field.type.write;
    take(field);
    lines.push('if (value !== undefined && value !== null) {', `writer.field = '${field.name}';`, 'tags++;',
      `start = writer.beginTag(${field.tag});`, `write${index}(writer, value);`, 'writer.endTag(start);', '}');
  });
  lines.push('writer.tags = tags;');
  return made(`return function write(writer, fields, own) { let value, start; ${lines.join('\n')} };`, scope);
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
  return made(`return function read(reader) { return { ${members.join(', ')} }; };`, scope);
}
