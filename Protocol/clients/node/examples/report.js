/** Ends a program at an error that it does not handle: one line, exit status 1. */
import { CarillonError } from 'carillon-client';
import process from 'node:process';

process.on('uncaughtException', (error) => {
  if (!(error instanceof CarillonError)) throw error;
  console.error(`${error.code} ${error.effect}: ${error.field ?? ''}`.trimEnd());
  process.exit(1);
});
