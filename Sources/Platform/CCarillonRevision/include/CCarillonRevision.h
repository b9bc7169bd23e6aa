// The commit that the programs are built from.
#ifndef CCARILLON_REVISION_H
#define CCARILLON_REVISION_H

// The commit in hexadecimal, or "unknown". It is a function and not a macro in Swift code, so that another commit
// compiles one file again and links.
const char *_Nonnull carillon_revision(void);

#endif
