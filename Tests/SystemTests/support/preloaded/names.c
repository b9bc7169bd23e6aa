/* Preloaded into the server, it answers what DNS is asked of the host apns.test from a file, which may change at any
   time: one address a line. An empty file, or none, means that the name does not resolve. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* The real resolver makes a list of each address, so freeaddrinfo can free the whole list. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list) {
    resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    const char *path = getenv("NAMES_FILE");
    if (!path || !host || strcmp(host, "apns.test") != 0) return real(host, service, hints, list);
    FILE *file = fopen(path, "re");
    struct addrinfo *last = NULL;
    char line[64];
    *list = NULL;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        struct addrinfo *more = NULL, numeric = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
        if (!line[0] || real(line, service, &numeric, &more) != 0) continue;
        if (last) last->ai_next = more;
        else *list = more;
        for (last = more; last->ai_next; last = last->ai_next) {}
    }
    if (file) fclose(file);
    return *list ? 0 : EAI_NONAME;
}
