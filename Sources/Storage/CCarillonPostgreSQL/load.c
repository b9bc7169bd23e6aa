#include "CCarillonPostgreSQL.h"

#include <dlfcn.h>

int carillon_pq_load(const char *library, carillon_pq *functions, const char **missing) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        *missing = library;
        return -1;
    }
// A pointer to data becomes a pointer to a function by its address: POSIX dlsym(3p).
#define FIND(name)                                                                                                     \
    *(void **)&functions->name = dlsym(handle, #name);                                                                 \
    if (!functions->name) {                                                                                            \
        *missing = #name;                                                                                              \
        return -1;                                                                                                     \
    }
    FIND(PQconnectStartParams)
    FIND(PQconnectPoll)
    FIND(PQsocket)
    FIND(PQstatus)
    FIND(PQbackendPID)
    FIND(PQtransactionStatus)
    FIND(PQerrorMessage)
    FIND(PQfinish)
    FIND(PQsetErrorVerbosity)
    FIND(PQsetNoticeReceiver)
    FIND(PQsetnonblocking)
    FIND(PQenterPipelineMode)
    FIND(PQpipelineSync)
    FIND(PQsendPrepare)
    FIND(PQsendQueryPrepared)
    FIND(PQflush)
    FIND(PQconsumeInput)
    FIND(PQisBusy)
    FIND(PQgetResult)
    FIND(PQresultStatus)
    FIND(PQresultErrorField)
    FIND(PQntuples)
    FIND(PQnfields)
    FIND(PQgetvalue)
    FIND(PQgetlength)
    FIND(PQgetisnull)
    FIND(PQclear)
    FIND(PQnotifies)
    FIND(PQfreemem)
    FIND(PQconninfoParse)
    FIND(PQconninfoFree)
    return 0;
}
