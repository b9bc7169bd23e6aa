// The commit that the programs are built from.
#ifndef CCARILLON_REVISION_H
#define CCARILLON_REVISION_H

// The commit in hexadecimal, or "unknown". A function: a change compiles one file again, and links.
const char *_Nonnull carillon_revision(void);

#endif
