#include "CCarillonRevision.h"

// Package.swift defines it if the environment of the build has CARILLON_REVISION.
#ifndef CARILLON_REVISION
#define CARILLON_REVISION unknown
#endif

#define TEXT_OF(word) #word
#define TEXT(macro) TEXT_OF(macro)

const char *carillon_revision(void) { return TEXT(CARILLON_REVISION); }
