/* The server with a service of its own: pictures that a page posts. `brunt view` takes none, so this one is started here. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "client.h"

#include "../../cli/server/server.h"

#include <pthread.h>

enum { SHOT_MAX = 1 << 20 };

typedef struct album {
    pthread_mutex_t lock;
    int shots, last_index;
    size_t last_size;
    unsigned sum; /* of the bytes */
} album;

static album pictures = {.lock = PTHREAD_MUTEX_INITIALIZER};
static cli_server *running;
static server s;

static void take(void *user, int index, const void *bytes, size_t size, cli_answer *answer)
{
    album *a = user;
    (void)pthread_mutex_lock(&a->lock);
    ++a->shots;
    a->last_index = index;
    a->last_size = size;
    a->sum = 0;
    for (size_t i = 0; i < size; ++i) {
        a->sum += ((const unsigned char *)bytes)[i];
    }
    (void)pthread_mutex_unlock(&a->lock);
    if (index == 13) {
        answer->status = 409;
        (void)snprintf(answer->why, sizeof answer->why, "thirteen is not taken");
    }
}

static int setup(void **state)
{
    (void)state;
    const cli_service service = {.user = &pictures, .shot = take, .shot_max = SHOT_MAX};
    running = cli_server_start(&service, 0);
    assert_non_null(running);
    s.port = cli_server_port(running);
    assert_int_equal(sscanf(cli_server_url(running), "http://127.0.0.1:%*d/%40[0-9a-f]/", s.token), 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    const double begin = now_seconds();
    cli_server_stop(running);
    return now_seconds() - begin < 5.0 * PATIENCE ? 0 : -1;
}

/* Posts so many bytes and says that they are `length`. */
static reply post(const char *path, const char *headers, size_t size)
{
    char head[1024];
    const int length = snprintf(head, sizeof head, "POST /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n",
                                s.token, path, s.port, headers);
    char *text = malloc((size_t)length + size + 1);
    assert_non_null(text);
    memcpy(text, head, (size_t)length);
    memset(text + length, 7, size);
    reply r = ask_bytes(&s, text, (size_t)length + size);
    free(text);
    return r;
}

static void test_pictures(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 16384, 100000, SHOT_MAX};
    for (int i = 0; i < 5; ++i) {
        char headers[128], path[32];
        (void)snprintf(headers, sizeof headers, "Origin: http://127.0.0.1:%d\r\nContent-Length: %zu\r\n",
                       s.port, sizes[i]);
        (void)snprintf(path, sizeof path, "shot/%d", i);
        assert_int_equal(status_of(post(path, headers, sizes[i])), 204);
        assert_int_equal(pictures.shots, i + 1);
        assert_int_equal(pictures.last_index, i);
        assert_int_equal(pictures.last_size, sizes[i]);
        assert_int_equal(pictures.sum, 7 * sizes[i]);
    }
    reply r = post("shot/13", "Content-Length: 3\r\n", 3);
    assert_int_equal(r.status, 409);
    assert_non_null(strstr(r.body, "thirteen"));
    reply_free(&r);
}

static void test_refused(void **state)
{
    (void)state;
    const int before = pictures.shots;
    const struct {
        const char *path, *headers;
        int status;
    } cases[] = {
        {"shot/1", "", 411},
        {"shot/1", "Transfer-Encoding: chunked\r\n", 411},
        {"shot/1", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 411},
        {"shot/1", "Content-Length: 3\r\nContent-Length: 4\r\n", 411},
        {"shot/1", "Content-Length: 0\r\n", 413},
        {"shot/1", "Content-Length: 1048577\r\n", 413},
        {"shot/1", "Content-Length: 9223372036854775807\r\n", 413},
        {"shot/1", "Content-Length: 3\r\nOrigin: http://evil.example\r\n", 403},
        {"shot/1", "Content-Length: 3\r\nOrigin: null\r\n", 403},
        {"shot/x", "Content-Length: 3\r\n", 404},
        {"shot/-1", "Content-Length: 3\r\n", 404},
        {"shot/1?a", "Content-Length: 3\r\n", 404},
        {"", "Content-Length: 3\r\n", 405},
        {"run", "Content-Length: 3\r\n", 404}, /* this service has none */
        {"frame/0", "Content-Length: 3\r\n", 404},
        {"live", "Content-Length: 3\r\n", 404},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int status = status_of(post(cases[i].path, cases[i].headers, 3));
        if (status != cases[i].status) {
            fail_msg("%s, %s: %d", cases[i].path, cases[i].headers, status);
        }
    }
    char path[128];
    (void)snprintf(path, sizeof path, "/%s/shot/1", s.token);
    assert_int_equal(status_of(ask(&s, "GET", path, "")), 405);
    assert_int_equal(status_of(ask(&s, "PUT", path, "Content-Length: 0\r\n")), 405);
    assert_int_equal(
        status_of(ask(&s, "POST", "/00000000000000000000000000000000/shot/1", "Content-Length: 0\r\n")), 404);
    assert_int_equal(pictures.shots, before);
}

/* Half of a picture is none: neither when its sender hangs up, nor when nothing more comes. */
static void test_half(void **state)
{
    (void)state;
    const int before = pictures.shots;
    char head[512];
    const int length =
        snprintf(head, sizeof head,
                 "POST /%s/shot/1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000\r\n\r\nhalf",
                 s.token, s.port);
    int fd = dial(s.port);
    assert_true(fd >= 0 && send_all(fd, head, (size_t)length));
    (void)shutdown(fd, SHUT_WR);
    reply r = read_reply(fd);
    assert_true(r.status == 408 || r.status == 0);
    reply_free(&r);
    (void)close(fd);

    fd = dial(s.port);
    assert_true(fd >= 0 && send_all(fd, head, (size_t)length));
    const double begin = now_seconds();
    r = read_reply(fd);
    assert_int_equal(r.status, 408);
    assert_true(now_seconds() - begin < 20.0 * PATIENCE);
    reply_free(&r);
    (void)close(fd);
    assert_int_equal(pictures.shots, before);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_half),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
