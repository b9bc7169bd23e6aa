// libpq, PostgreSQL's client library, loaded when it is first needed. Its headers are not needed to build: the
// prototypes below are those of libpq 14 (https://www.postgresql.org/docs/14/libpq.html), and later versions keep them.
#ifndef CCARILLON_POSTGRESQL_H
#define CCARILLON_POSTGRESQL_H

#include <stddef.h>
#include <stdint.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

typedef struct carillon_pq_notify {
    char *relname;
    int be_pid;
    char *extra;
    struct carillon_pq_notify *next;
} carillon_pq_notify;

typedef struct carillon_pq_option {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} carillon_pq_option;

typedef void (*carillon_pq_notice_receiver)(void *argument, const PGresult *result);

// The functions of libpq that Carillon calls.
typedef struct carillon_pq {
    PGconn *(*PQconnectStartParams)(const char *const *keywords, const char *const *values, int expand_dbname);
    int (*PQconnectPoll)(PGconn *conn);
    int (*PQsocket)(const PGconn *conn);
    int (*PQstatus)(const PGconn *conn);
    int (*PQbackendPID)(const PGconn *conn);
    int (*PQtransactionStatus)(const PGconn *conn);
    char *(*PQerrorMessage)(const PGconn *conn);
    void (*PQfinish)(PGconn *conn);
    int (*PQsetErrorVerbosity)(PGconn *conn, int verbosity);
    carillon_pq_notice_receiver (*PQsetNoticeReceiver)(
        PGconn *conn, carillon_pq_notice_receiver receiver, void *argument);
    int (*PQsetnonblocking)(PGconn *conn, int nonblocking);
    int (*PQenterPipelineMode)(PGconn *conn);
    int (*PQpipelineSync)(PGconn *conn);
    int (*PQsendPrepare)(PGconn *conn, const char *name, const char *query, int count, const Oid *types);
    int (*PQsendQueryPrepared)(PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,
                               const int *formats, int result_format);
    int (*PQflush)(PGconn *conn);
    int (*PQconsumeInput)(PGconn *conn);
    int (*PQisBusy)(PGconn *conn);
    PGresult *(*PQgetResult)(PGconn *conn);
    int (*PQresultStatus)(const PGresult *result);
    char *(*PQresultErrorField)(const PGresult *result, int field);
    int (*PQntuples)(const PGresult *result);
    int (*PQnfields)(const PGresult *result);
    char *(*PQgetvalue)(const PGresult *result, int row, int column);
    int (*PQgetlength)(const PGresult *result, int row, int column);
    int (*PQgetisnull)(const PGresult *result, int row, int column);
    void (*PQclear)(PGresult *result);
    carillon_pq_notify *(*PQnotifies)(PGconn *conn);
    void (*PQfreemem)(void *memory);
    carillon_pq_option *(*PQconninfoParse)(const char *text, char **error);
    void (*PQconninfoFree)(carillon_pq_option *options);
} carillon_pq;

// Loads the library and finds the functions. Returns 0, or -1 with the name of what is missing: the library, or the
// first function that it lacks. The library stays loaded.
int carillon_pq_load(const char *library, carillon_pq *functions, const char **missing);

#endif
