/* A client of `brunt view` on plain sockets: HTTP requests byte by byte, a WebSocket, packets. No library, so that it can
   send what no library would. */
#ifndef BRN_TESTS_VIEW_CLIENT_H
#define BRN_TESTS_VIEW_CLIENT_H

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers take ten times as long and keep freed memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, PATIENCE = 10 };
#else
enum { SANITIZED = 0, PATIENCE = 1 };
#endif

static inline double now_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void sleep_seconds(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)(1e9 * (seconds - (double)t.tv_sec));
    (void)nanosleep(&t, NULL);
}

/* ---- the server --------------------------------------------------------------------------------------------------------- */

typedef struct server {
    pid_t pid;
    int port;
    char token[64];
    char url[128];
} server;

/* Reads the address that the server prints. */
static inline void read_address(server *s, int fd)
{
    size_t length = 0;
    for (const double until = now_seconds() + 60.0 * PATIENCE;
         now_seconds() < until && length < sizeof s->url - 1;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, 100) > 0) {
            const ssize_t n = read(fd, s->url + length, 1);
            if (n <= 0 || s->url[length] == '\n') {
                break;
            }
            ++length;
        }
    }
    s->url[length] = '\0';
    if (sscanf(s->url, "http://127.0.0.1:%d/%40[0-9a-f]/", &s->port, s->token) != 2) {
        fail_msg("brunt view printed no address: '%s'", s->url);
    }
}

/* Starts `brunt view WHAT MORE...`, its standard output in `out`. more: NULL-terminated. */
static inline pid_t server_fork(const char *what, const char *const *more, int out)
{
    const char *arguments[16] = {BRN_BINARY_DIR "/brunt", "view", what};
    for (int i = 0; more != NULL && more[i] != NULL && i < 12; ++i) {
        arguments[3 + i] = more[i];
    }
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
        (void)dup2(out, 1);
        (void)execv(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    return pid;
}

static inline server server_start(const char *what, const char *const *more)
{
    server s = {0};
    const char *all[13] = {"--no-open"};
    for (int i = 0; more != NULL && more[i] != NULL && i < 11; ++i) {
        all[1 + i] = more[i];
    }
    int pipe_ends[2];
    assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
    s.pid = server_fork(what, all, pipe_ends[1]);
    (void)close(pipe_ends[1]);
    read_address(&s, pipe_ends[0]);
    (void)close(pipe_ends[0]);
    return s;
}

static inline bool server_runs(const server *s)
{
    return waitpid(s->pid, NULL, WNOHANG) == 0;
}

/* Sends the signal and returns the exit code; -1: it had to be killed, or a signal ended it. */
static inline int server_stop(const server *s, int number)
{
    int status = 0;
    (void)kill(s->pid, number);
    for (const double until = now_seconds() + 30.0 * PATIENCE; now_seconds() < until;) {
        if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        sleep_seconds(0.01);
    }
    (void)kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, &status, 0);
    return -1;
}

/* [kB] of a line of /proc/PID/status. */
static inline long server_memory(const server *s, const char *key)
{
    char path[64], line[256];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *file = fopen(path, "r");
    long value = -1;
    const size_t length = strlen(key);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, length) == 0) {
            value = strtol(line + length + 1, NULL, 10);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return value;
}

/* ---- connections ----------------------------------------------------------------------------------------------------------- */

/* receive_buffer: of the socket, 0 as the system has it. */
static inline int dial_with(int port, int receive_buffer)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval wait = {.tv_sec = 20 * PATIENCE};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    if (receive_buffer > 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static inline int dial(int port)
{
    return dial_with(port, 0);
}

static inline bool send_all(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n <= 0) {
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

typedef struct reply {
    int status; /* 0: no answer */
    char head[4096];
    char *body; /* with a '\0' behind */
    size_t size;
} reply;

static inline void reply_free(reply *r)
{
    free(r->body);
    r->body = NULL;
}

/* Reads until the server closes. */
static inline reply read_reply(int fd)
{
    reply r = {0};
    size_t size = 0, room = 1 << 16;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    for (;;) {
        const ssize_t n = recv(fd, bytes + size, room - size - 1, 0);
        if (n <= 0) {
            break;
        }
        size += (size_t)n;
        if (size > room / 2) {
            room *= 2;
            bytes = realloc(bytes, room);
            assert_non_null(bytes);
        }
    }
    bytes[size] = '\0';
    const char *end = memmem(bytes, size, "\r\n\r\n", 4);
    if (end != NULL) {
        (void)sscanf(bytes, "HTTP/1.1 %d", &r.status);
        (void)snprintf(r.head, sizeof r.head, "%.*s", (int)(end + 2 - bytes), bytes);
        r.size = size - (size_t)(end + 4 - bytes);
        memmove(bytes, end + 4, r.size + 1);
    }
    r.body = bytes;
    return r;
}

/* The bytes as they are. */
static inline reply ask_bytes(const server *s, const void *bytes, size_t size)
{
    const int fd = dial(s->port);
    reply r = {0};
    if (fd >= 0) {
        (void)send_all(fd, bytes, size);
        r = read_reply(fd);
        (void)close(fd);
    }
    return r;
}

/* METHOD PATH with Host and further header lines. */
static inline reply ask(const server *s, const char *method, const char *path, const char *more)
{
    char text[8192];
    const int length = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", method,
                                path, s->port, more);
    assert_true(length > 0 && length < (int)sizeof text);
    return ask_bytes(s, text, (size_t)length);
}

/* Behind the token. */
static inline reply get(const server *s, const char *path)
{
    char full[4096];
    (void)snprintf(full, sizeof full, "/%s/%s", s->token, path);
    return ask(s, "GET", full, "");
}

static inline int status_of(reply r)
{
    reply_free(&r);
    return r.status;
}

/* ---- WebSockets ------------------------------------------------------------------------------------------------------------- */

/* The handshake; origin NULL: none is given. *status: of the answer. */
static inline int socket_open_at(const server *s, const char *path, const char *origin, int receive_buffer,
                                 int *status)
{
    char text[1024], line[256] = "";
    const int fd = dial_with(s->port, receive_buffer);
    *status = 0;
    if (fd < 0) {
        return -1;
    }
    if (origin != NULL) {
        (void)snprintf(line, sizeof line, "Origin: %s\r\n", origin);
    }
    const int length = snprintf(text, sizeof text,
                                "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                                "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n",
                                path, s->port, line);
    (void)send_all(fd, text, (size_t)length);
    char head[2048];
    size_t got = 0;
    while (got < sizeof head - 1 && recv(fd, head + got, 1, 0) == 1) {
        head[++got] = '\0';
        if (got >= 4 && memcmp(head + got - 4, "\r\n\r\n", 4) == 0) {
            break;
        }
    }
    (void)sscanf(head, "HTTP/1.1 %d", status);
    /* The key's answer is the example of RFC 6455, section 1.3. */
    if (*status == 101 && strstr(head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") == NULL) {
        fail_msg("wrong answer to the key of the WebSocket: %s", head);
    }
    if (*status != 101) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static inline int socket_open(const server *s)
{
    char path[128], origin[64];
    int status = 0;
    (void)snprintf(path, sizeof path, "/%s/live", s->token);
    (void)snprintf(origin, sizeof origin, "http://127.0.0.1:%d", s->port);
    const int fd = socket_open_at(s, path, origin, 0, &status);
    assert_int_equal(status, 101);
    return fd;
}

static inline bool send_frame(int fd, int first, const void *bytes, size_t size)
{
    unsigned char head[14] = {(unsigned char)first};
    size_t length = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)size;
        length = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; ++i) {
            head[2 + i] = (unsigned char)((uint64_t)size >> (56 - 8 * i));
        }
        length = 10;
    }
    const unsigned char mask[4] = {0x12, 0x34, 0x56, 0x78};
    memcpy(head + length, mask, 4);
    length += 4;
    unsigned char *masked = malloc(size + 1);
    assert_non_null(masked);
    for (size_t i = 0; i < size; ++i) {
        masked[i] = ((const unsigned char *)bytes)[i] ^ mask[i % 4];
    }
    const bool sent = send_all(fd, head, length) && send_all(fd, masked, size);
    free(masked);
    return sent;
}

static inline bool say(int fd, const char *text)
{
    return send_frame(fd, 0x81, text, strlen(text));
}

static inline bool receive_all(int fd, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = recv(fd, (char *)bytes + done, size - done, 0);
        if (n <= 0) {
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

typedef struct note {
    int opcode; /* 1 text, 2 bytes, 8 close; 0: nothing came */
    char *bytes;
    size_t size;
} note;

/* The next message, within some seconds; pings are answered on the way. Free its bytes. */
static inline note hear(int fd, double seconds)
{
    note n = {0};
    for (const double until = now_seconds() + seconds;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const double left = until - now_seconds();
        unsigned char head[10];
        if (left <= 0.0 || poll(&wait, 1, (int)(1000.0 * left) + 1) <= 0 || !receive_all(fd, head, 2)) {
            return (note){0};
        }
        n.opcode = head[0] & 15;
        uint64_t size = head[1] & 127;
        assert_int_equal(head[0] & 0x70, 0);
        assert_int_equal(head[1] & 0x80, 0); /* a server does not mask */
        const int more = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (more > 0) {
            size = 0;
            assert_true(receive_all(fd, head + 2, (size_t)more));
            for (int i = 0; i < more; ++i) {
                size = size << 8 | head[2 + i];
            }
        }
        assert_true(size < (1u << 30));
        n.size = (size_t)size;
        n.bytes = malloc(n.size + 1);
        assert_non_null(n.bytes);
        if (!receive_all(fd, n.bytes, n.size)) {
            free(n.bytes);
            return (note){0};
        }
        n.bytes[n.size] = '\0';
        if (n.opcode != 9) {
            return n;
        }
        (void)send_frame(fd, 0x8a, n.bytes, n.size);
        free(n.bytes);
    }
}

/* ---- JSON and packets ----------------------------------------------------------------------------------------------------- */

/* The number behind the key; NaN: none. */
static inline double number_of(const char *json, const char *key)
{
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(json, quoted);
    char *end = NULL;
    const double value = found != NULL ? strtod(found + strlen(quoted), &end) : NAN;
    return end != NULL && end != found + strlen(quoted) ? value : NAN;
}

/* Does the key have this value, as it is written? */
static inline bool has(const char *json, const char *key, const char *value)
{
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(json, quoted);
    if (found == NULL) {
        return false;
    }
    found += strlen(quoted);
    found += strspn(found, " ");
    return strncmp(found, value, strlen(value)) == 0;
}

/* The JSON of a packet, to be freed; NULL: it is none. */
static inline char *packet_json(const note *n)
{
    uint32_t length = 0;
    if (n->opcode != 2 || n->size < 8 || memcmp(n->bytes, "BRN1", 4) != 0) {
        return NULL;
    }
    memcpy(&length, n->bytes + 4, 4);
    if (length > n->size - 8) {
        return NULL;
    }
    char *json = malloc((size_t)length + 1);
    assert_non_null(json);
    memcpy(json, n->bytes + 8, length);
    json[length] = '\0';
    return json;
}

/* An array of a packet; NULL: there is none. */
static inline const void *packet_array(const note *n, const char *name, int *count)
{
    char *json = packet_json(n), quoted[64];
    const void *at = NULL;
    if (json != NULL) {
        (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
        const char *arrays = strstr(json, "\"arrays\":");
        const char *found = arrays != NULL ? strstr(arrays, quoted) : NULL;
        if (found != NULL) {
            *count = (int)number_of(found, "count");
            at = n->bytes + 8 + strlen(json) + (size_t)number_of(found, "offset");
        }
    }
    free(json);
    return at;
}

#endif
