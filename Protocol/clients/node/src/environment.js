/**
 * Options from environment variables.
 *
 * @module
 */
import process from 'node:process';
import { CarillonError } from './errors.js';
import { Options } from './options.js';

/** Options by variable. The file of the key comes before the key. */
const VARIABLES = {
  CARILLON_SERVER: 'addresses', CARILLON_API_KEY_FILE: 'apiKeyFile', CARILLON_API_KEY: 'apiKey', CARILLON_APP: 'app',
  CARILLON_CA_FILE: 'caFile', CARILLON_CERTIFICATE_FILE: 'certificateFile',
  CARILLON_CERTIFICATE_KEY_FILE: 'certificateKeyFile', CARILLON_SECURITY: 'security',
};
const DEFAULT_SERVER = '127.0.0.1:7474';
/** An option that the program gives also overrides these. */
const EXCLUSIVE = { apiKey: 'apiKeyFile', apiKeyFile: 'apiKey', ca: 'caFile' };

/**
 * Options made of environment variables and of those that the program gives, which come first. The key is hidden in a
 * function, so that printing the options does not print it.
 *
 * @param {Record<string, any>} [options]
 * @param {Record<string, string|undefined>} [environment]
 * @returns {Record<string, any>}
 */
export function fromEnvironment(options = {}, environment = process.env) {
  const overridden = new Set([...Object.keys(options), ...Object.keys(options).map((name) => EXCLUSIVE[name])]);
  const found = {};
  for (const [variable, name] of Object.entries(VARIABLES)) {
    const value = environment[variable];
    if (!value || overridden.has(name) || (name === 'apiKey' && 'apiKeyFile' in found)) continue;
    check(variable, name, value);
    found[name] = name === 'apiKey' ? () => value : value;
  }
  return { addresses: DEFAULT_SERVER, ...found, ...options };
}

/** INVALID_ARGUMENT with the name of the variable if its value is impossible (CONTRACT.md, ENV-1). */
function check(variable, name, value) {
  if (name.startsWith('certificate')) return;
  try {
    new Options({ addresses: DEFAULT_SERVER, [name]: value });
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    const text = name === 'apiKey' ? 'this is not a key' : error.message;
    throw new CarillonError('INVALID_ARGUMENT', `${variable}: ${text}`, { field: variable });
  }
}
