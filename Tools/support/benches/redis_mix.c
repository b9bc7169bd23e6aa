/* Sends SET and GET to redis on many connections and prints one line of JSON: redis-benchmark sends one command only.

   redis_mix PORT CONNECTIONS DEPTH SECONDS GET_PERCENT KEYS VALUE_BYTES: each connection has DEPTH commands in flight,
   and each answer makes room for the next, as in carillon-load. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { INPUT = 1 << 16, OUTPUT = 1 << 18 };

struct connection {
    int file, in_flight;
    size_t read, written, end;
    char input[INPUT], output[OUTPUT];
};

static uint64_t seed = 88172645463325252ull;
static int depth, get_percent, value_bytes;
static long keys;
static char value[1 << 12];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* xorshift64 (Marsaglia 2003). */
static uint64_t next_number(void) {
    seed ^= seed << 13, seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Fills the window of a connection and writes what the socket takes. */
static void send_commands(struct connection *each) {
    if (each->written == each->end) each->written = each->end = 0;
    while (each->in_flight < depth && OUTPUT - each->end > sizeof value + 128) {
        char key[32];
        int key_bytes = snprintf(key, sizeof key, "key:%012ld", (long)(next_number() % keys));
        char *at = each->output + each->end;
        if ((int)(next_number() % 100) < get_percent)
            each->end += sprintf(at, "*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n", key_bytes, key);
        else
            each->end += sprintf(at, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%.*s\r\n",
                                 key_bytes, key, value_bytes, value_bytes, value);
        each->in_flight++;
    }
    while (each->written < each->end) {
        ssize_t count = write(each->file, each->output + each->written, each->end - each->written);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) fail("write");
        each->written += count;
    }
}

/* Reads answers; returns how many are complete. */
static long receive_answers(struct connection *each) {
    long answers = 0;
    ssize_t count = read(each->file, each->input + each->read, INPUT - each->read);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (count <= 0) fail("read");
    each->read += count;
    size_t at = 0;
    for (;;) {
        char *line = each->input + at, *end = memchr(line, '\n', each->read - at);
        if (!end) break;
        if (*line != '+' && *line != '$') {
            fprintf(stderr, "redis answers %.*s\n", (int)(end - line), line);
            exit(1);
        }
        long bytes = *line == '$' ? atol(line + 1) : -1;
        size_t next = end + 1 - each->input + (bytes >= 0 ? bytes + 2 : 0);
        if (next > each->read) break;
        at = next, answers++;
    }
    memmove(each->input, each->input + at, each->read - at);
    each->read -= at;
    each->in_flight -= answers;
    return answers;
}

int main(int count, char **words) {
    if (count != 8) return 64;
    int port = atoi(words[1]), connections = atoi(words[2]), poll = epoll_create1(EPOLL_CLOEXEC), one = 1;
    double seconds = atof(words[4]);
    depth = atoi(words[3]), get_percent = atoi(words[5]), keys = atol(words[6]), value_bytes = atoi(words[7]);
    if (connections < 1 || depth < 1 || keys < 1 || value_bytes < 1 || value_bytes > (int)sizeof value) return 64;
    memset(value, 'x', sizeof value);
    struct sockaddr_in server = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int index = 0; index < connections; index++) {
        struct connection *each = calloc(1, sizeof *each);
        if (!each) fail("calloc");
        each->file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (each->file < 0 || connect(each->file, (struct sockaddr *)&server, sizeof server) != 0) fail("connect");
        setsockopt(each->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        fcntl(each->file, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = each};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, each->file, &event) != 0) fail("epoll_ctl");
    }
    /* A second of warm-up. */
    double began = now() + 1, end = began + seconds;
    long answers = 0;
    while (now() < end) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 100);
        for (int index = 0; index < ready; index++) {
            struct connection *each = events[index].data.ptr;
            for (long found = 1; events[index].events & EPOLLIN && found;) {
                found = receive_answers(each);
                if (now() >= began) answers += found;
                send_commands(each);
            }
            send_commands(each);
        }
    }
    printf("{\"seconds\": %.3f, \"answers\": %ld}\n", seconds, answers);
    return 0;
}
