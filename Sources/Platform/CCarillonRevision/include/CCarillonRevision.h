// The commit that the programs are built from.
#ifndef CCARILLON_REVISION_H
#define CCARILLON_REVISION_H

// Returns the commit in hexadecimal, or "unknown". As a function it is known to one file of C alone: for another commit
// only that file is compiled again.
const char *_Nonnull carillon_revision(void);

#endif
