/* brunt-fill: fills a closed surface with tets through gmsh. The library starts it with a socket as standard input and output,
   see model/read/fill_wire.h; it is not meant to be started by hand. It shares nothing with who started it, limits its own
   time and memory, and ends with it. */
#define _GNU_SOURCE /* closefrom */
#include "gmsh_fill.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Exit codes, for those who look into a failure. */
enum { BAD_CALL = 2, BAD_REQUEST = 3, NO_SETUP = 4 };

static void refuse(int code, const char *text)
{
    (void)fprintf(stderr, "brunt-fill: %s\n", text);
    _exit(code);
}

/* ---- the socket ------------------------------------------------------------------------------------------------------ */

static bool read_all(int fd, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        const ssize_t n = read(fd, at, size);
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static void write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = write(fd, at, size);
        if (n <= 0) {
            _exit(NO_SETUP);
        }
        at += n;
        size -= (size_t)n;
    }
}

/* Moves the socket away from standard input and output, so that nothing that gmsh prints can get into the answer. */
static int take_socket(void)
{
    struct stat info;
    if (fstat(STDOUT_FILENO, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        refuse(BAD_CALL, "started by brunt to fill surfaces with tets; not to be started by hand");
    }
    closefrom(STDERR_FILENO + 1);
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        refuse(NO_SETUP, "no descriptors left");
    }
    return fd;
}

/* Ends the program when the other end of the socket is closed: nobody waits for the answer any more. */
static void *watch(void *user)
{
    struct pollfd one = {.fd = *(const int *)user};
    for (;;) {
        if (poll(&one, 1, -1) > 0 && (one.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
            _exit(0);
        }
    }
    return NULL;
}

/* ---- the request ------------------------------------------------------------------------------------------------------ */

static bool is_sound(const brn_fill_request *head)
{
    return memcmp(head->magic, BRN_FILL_MAGIC, sizeof head->magic) == 0 && head->nnode >= 4 &&
           head->nnode <= INT32_MAX && head->ntri >= 4 && head->ntri <= INT32_MAX && head->nsolid >= 1 &&
           head->nsolid <= head->ntri && head->anew <= 1 && isfinite(head->resolution) &&
           head->resolution > 0.0 && isfinite(head->volume) && head->volume > 0.0 &&
           head->cpu_seconds >= 1.0 && head->cpu_seconds <= 1e9 && head->memory >= 1e6 &&
           head->memory <= 1e15;
}

/* The soft limit alone: at the hard one a program that took too long would be killed without a reason. */
static void limit(int what, double value)
{
    struct rlimit now;
    const rlim_t wanted = (rlim_t)value;
    if (getrlimit((__rlimit_resource_t)what, &now) == 0 &&
        (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > wanted)) {
        now.rlim_cur = wanted;
        (void)setrlimit((__rlimit_resource_t)what, &now);
    }
}

static void read_request(int fd, fill_surface *surface)
{
    brn_fill_request *head = &surface->head;
    if (!read_all(fd, head, sizeof *head) || !is_sound(head)) {
        refuse(BAD_REQUEST, "the request is not one of this version");
    }
    limit(RLIMIT_CPU, ceil(head->cpu_seconds));
    limit(RLIMIT_AS, head->memory);
    limit(RLIMIT_DATA, head->memory);
    limit(RLIMIT_CORE, 0.0);
    const size_t nnode = head->nnode;
    const size_t ntri = head->ntri;
    surface->pos = calloc(3 * nnode, sizeof *surface->pos);
    surface->tri = calloc(3 * ntri, sizeof *surface->tri);
    surface->solid = calloc(ntri, sizeof *surface->solid);
    bool good = surface->pos != NULL && surface->tri != NULL && surface->solid != NULL &&
                read_all(fd, surface->pos, 3 * nnode * sizeof *surface->pos) &&
                read_all(fd, surface->tri, 3 * ntri * sizeof *surface->tri) &&
                read_all(fd, surface->solid, ntri * sizeof *surface->solid);
    for (size_t i = 0; i < 3 * nnode && good; ++i) {
        good = isfinite(surface->pos[i]);
    }
    for (size_t i = 0; i < 3 * ntri && good; ++i) {
        good = surface->tri[i] < nnode && surface->solid[i / 3] < head->nsolid;
    }
    if (!good) {
        refuse(BAD_REQUEST, "the surface of the request is not whole");
    }
}

/* ---- the answer ------------------------------------------------------------------------------------------------------- */

static void answer(int fd, bool done, const fill_mesh *mesh)
{
    brn_fill_answer head = {.text = done ? 0 : (uint32_t)strlen(mesh->text)};
    memcpy(head.magic, BRN_FILL_MAGIC, sizeof head.magic);
    head.nnode = done ? (uint32_t)mesh->nnode : 0;
    head.ntet = done ? (uint32_t)mesh->ntet : 0;
    const size_t pos_size = 3 * (size_t)head.nnode * sizeof *mesh->pos;
    const size_t tet_size = 4 * (size_t)head.ntet * sizeof *mesh->tet;
    const uint64_t length = sizeof head + (done ? pos_size + tet_size : head.text);
    write_all(fd, &length, sizeof length);
    write_all(fd, &head, sizeof head);
    if (done) {
        write_all(fd, mesh->pos, pos_size);
        write_all(fd, mesh->tet, tet_size);
    } else {
        write_all(fd, mesh->text, head.text);
    }
}

int main(void)
{
    int fd = take_socket();
    fill_surface surface = {0};
    read_request(fd, &surface);
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, watch, &fd) != 0) {
        refuse(NO_SETUP, "no thread");
    }
    fill_mesh mesh;
    const bool done = fill_with_gmsh(&surface, &mesh);
    answer(fd, done, &mesh);
    _exit(0); /* the watcher runs on, and the system takes everything back */
}
