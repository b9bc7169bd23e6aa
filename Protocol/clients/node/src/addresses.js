/**
 * Addresses of servers (CONTRACT.md, ADR-1, TLS-1, TLS-2).
 *
 * @module
 */
import { isIP, isIPv6 } from 'node:net';
import { invalidArgument } from './errors.js';

const MAXIMUM_ADDRESSES = 32;
const HOST_AND_PORT = /^(?:\[([^[\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/;

/**
 * An address: `path` of a Unix socket, or host and port.
 *
 * @typedef {{text: string, path?: string, host: string, port: number, isLiteral: boolean, isLoopback: boolean}} Address
 */

/**
 * Reads the addresses of the option `addresses`. INVALID_ARGUMENT for one that cannot be used.
 *
 * @param {string | readonly string[]} value a list, or one text with commas
 * @returns {Address[]}
 */
export function parseAddresses(value) {
  const texts = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(texts) || texts.length < 1 || texts.length > MAXIMUM_ADDRESSES) {
    throw invalidArgument('addresses', `must be 1 to ${MAXIMUM_ADDRESSES} addresses`);
  }
  return texts.map(parse);
}

function parse(value) {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text.startsWith('unix:') && text.length > 5) {
    return { text, path: text.slice(5), host: '', port: 0, isLiteral: false, isLoopback: true };
  }
  const [, bracketed, plain, digits] = HOST_AND_PORT.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535) || (bracketed !== undefined && !isIPv6(bracketed))) {
    throw invalidArgument('addresses', `${JSON.stringify(text)} is not host:port, [v6]:port or unix:path`);
  }
  const host = bracketed ?? plain;
  return { text, host, port, isLiteral: isIP(host) !== 0, isLoopback: host === 'localhost' || isLoopback(host) };
}

/**
 * True for an IP address of this machine.
 *
 * @param {string} ip
 */
export function isLoopback(ip) {
  if (isIPv6(ip)) return ip === '::1' || /^::ffff:127\./i.test(ip);
  return isIP(ip) === 4 && ip.startsWith('127.');
}
