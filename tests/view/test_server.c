/* `brunt view DIR` from outside, as a friend and as an enemy: what it answers, and that nothing else is to be had from it. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include "client.h"

static char folder[] = "view-server-XXXXXX";
static server s;

static const char scene_text[] =
    "brunt: 1\n"
    "title: '<script>alert(1)</script>'\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {step: 0.01, end: 0.1}\n"
    "method: {type: none}\n"
    "materials: {rubber: {type: neo_hookean, young: 1.0e5, poisson: 0.4, density: 1000}}\n"
    "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: tet4}}}\n"
    "bodies: [{name: cube, type: deformable, mesh: cube, material: rubber}]\n"
    "output: {every: 0.01, fields: [stress, velocity]}\n";

static void run_scene(const char *dir, const char *change)
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = dir;
    options.overwrite = true;
    assert_done(ctx, brn_scene_parse(ctx, scene_text, strlen(scene_text), "scene", &scene));
    assert_done(ctx, brn_scene_set(scene, change));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    run_scene(folder, "time.end=0.1");
    s = server_start(folder, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[128];
    const int code = server_stop(&s, SIGTERM);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)!system(command);
    return code == 128 + SIGTERM ? 0 : -1;
}

/* It is there and serves what it should. */
static void assert_healthy(void)
{
    assert_true(server_runs(&s));
    reply r = get(&s, "run");
    assert_int_equal(r.status, 200);
    assert_memory_equal(r.body, "BRN1", 4);
    reply_free(&r);
}

/* ---- what is served -------------------------------------------------------------------------------------------------- */

static void test_loopback_only(void **state)
{
    (void)state;
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    int listening = 0;
    for (int i = 0; i < 2; ++i) {
        FILE *file = fopen(tables[i], "r");
        char line[512];
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            char address[64];
            unsigned port = 0, kind = 0;
            if (sscanf(line, " %*d: %63[0-9A-F]:%X %*[0-9A-F]:%*X %X", address, &port, &kind) == 3 &&
                (int)port == s.port && kind == 0x0a) {
                ++listening;
                assert_string_equal(address, "0100007F"); /* 127.0.0.1 as the kernel prints it */
            }
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    }
    assert_int_equal(listening, 1);
}

static void test_answers(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",    "Cross-Origin-Resource-Policy: same-origin",
        "frame-ancestors 'none'",          "Content-Length: "};
    static const char *const paths[] = {"", "run", "frame/0", "frame/10", "nothing"};
    for (int i = 0; i < 5; ++i) {
        reply r = get(&s, paths[i]);
        assert_int_equal(r.status, i < 4 ? 200 : 404);
        for (int k = 0; k < 6; ++k) {
            if (strstr(r.head, lines[k]) == NULL) {
                fail_msg("/%s: no '%s' in: %s", paths[i], lines[k], r.head);
            }
        }
        assert_int_equal(strstr(r.head, "Access-Control") == NULL, 1);
        if (i >= 1 && i < 4) {
            assert_memory_equal(r.body, "BRN1", 4);
        }
        reply_free(&r);
    }
    reply page = get(&s, "");
    assert_non_null(strstr(page.head, "Content-Type: text/html; charset=utf-8"));
    assert_non_null(strstr(page.body, "<!doctype html>"));
    reply_free(&page);

    /* The head of an answer is the same without the body. */
    char path[128];
    (void)snprintf(path, sizeof path, "/%s/run", s.token);
    reply full = ask(&s, "GET", path, ""), head = ask(&s, "HEAD", path, "");
    assert_string_equal(full.head, head.head);
    assert_int_equal(head.size, 0);
    reply_free(&full);
    reply_free(&head);
}

static void test_frame_numbers(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "frame/",    "frame/11",         "frame/00",       "frame/01",
        "frame/-1",  "frame/+1",         "frame/1.0",      "frame/1/",
        "frame/ 1",  "frame/0x1",        "frame/1e0",      "frame/2147483648",
        "frame/1?x", "frame/4294967297", "frame/99999999", "frame/18446744073709551617",
        "frame",     "frames/1",         "FRAME/1",        "run/",
        "run?",      "shot/1",           "live",           "index.html"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const int status = status_of(get(&s, wrong[i]));
        if (status != 404 && !(status == 400 && strchr(wrong[i], ' ') != NULL)) {
            fail_msg("%s: %d", wrong[i], status);
        }
    }
    /* A query does not hurt the page. */
    assert_int_equal(status_of(get(&s, "?x=1")), 200);
}

/* A run that has gone on: the page that is loaded anew shows all of it. */
static void test_growing_run(void **state)
{
    (void)state;
    char dir[128];
    (void)snprintf(dir, sizeof dir, "%s/growing", folder);
    run_scene(dir, "time.end=0.05");
    const server t = server_start(dir, NULL);
    reply r = get(&t, "run");
    assert_near(number_of(r.body + 8, "recorded"), 6, 0);
    reply_free(&r);
    assert_int_equal(status_of(get(&t, "frame/5")), 200);
    assert_int_equal(status_of(get(&t, "frame/6")), 404);
    run_scene(dir, "time.end=0.1");
    r = get(&t, "run");
    assert_near(number_of(r.body + 8, "recorded"), 11, 0);
    reply_free(&r);
    assert_int_equal(status_of(get(&t, "frame/10")), 200);
    /* A file that is none, and then is one again. */
    char path[256];
    (void)snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("not a trajectory", file);
    (void)fclose(file);
    assert_int_equal(status_of(get(&t, "run")), 500);
    assert_int_equal(status_of(get(&t, "frame/0")), 500);
    run_scene(dir, "time.end=0.1");
    assert_int_equal(status_of(get(&t, "frame/10")), 200);
    assert_int_equal(status_of(get(&t, "run")), 200);
    assert_int_equal(server_stop(&t, SIGTERM), 128 + SIGTERM);
}

/* ---- who may ask -------------------------------------------------------------------------------------------------------- */

static void test_token(void **state)
{
    (void)state;
    char path[256], wrong[64];
    reply unknown = get(&s, "nothing");
    for (int i = 0; i < 40; ++i) {
        (void)snprintf(wrong, sizeof wrong, "%s", s.token);
        if (i < 32) {
            wrong[i] = wrong[i] == '0' ? '1' : '0'; /* wrong in one digit */
        } else if (i < 36) {
            wrong[32 - (i - 31)] = '\0'; /* too short */
        } else {
            static const char *const tails[] = {"0", "/..", "%00", "//"};
            (void)snprintf(wrong, sizeof wrong, "%.32s%s", s.token, tails[i - 36]);
        }
        (void)snprintf(path, sizeof path, "/%s/run", wrong);
        reply r = ask(&s, "GET", path, "");
        /* Word for word what an address that does not exist gets. */
        assert_int_equal(r.status, 404);
        assert_string_equal(r.head, unknown.head);
        assert_string_equal(r.body, unknown.body);
        reply_free(&r);
    }
    reply_free(&unknown);
    static const char *const bare[] = {"/", "/run", "/frame/0", "//run", "/index.html", "/favicon.ico", "*"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; ++i) {
        reply r = ask(&s, "GET", bare[i], "");
        assert_true(r.status == 404 || (bare[i][0] == '*' && r.status == 0));
        reply_free(&r);
    }
}

static void test_paths(void **state)
{
    (void)state;
    static const char *const escapes[] = {"../../../../../../etc/passwd",
                                          "..%2f..%2f..%2f..%2fetc/passwd",
                                          "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
                                          "%252e%252e%252fetc%252fpasswd",
                                          "....//....//etc/passwd",
                                          "..\\..\\..\\etc\\passwd",
                                          "%c0%ae%c0%ae/%c0%ae%c0%ae/etc",
                                          "/etc/passwd",
                                          "//etc/passwd",
                                          "file:///etc/passwd",
                                          "scene.yaml",
                                          "summary.json",
                                          "trajectory.h5",
                                          "./run",
                                          "frame/../run",
                                          "frame/../../../etc/passwd",
                                          "run%00",
                                          "run%00.html",
                                          "run%2f",
                                          "%72un",
                                          "frame/%30",
                                          "run/../../../../proc/self/environ",
                                          "~root",
                                          "cgi-bin/sh",
                                          "run;x",
                                          "run.php",
                                          ".htpasswd",
                                          "frame/0%20",
                                          "frame/0%0d%0aX: y",
                                          "frame/\xff\xfe"};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; ++i) {
        reply r = get(&s, escapes[i]);
        if (r.status != 404 && r.status != 400) {
            fail_msg("%s: %d %s", escapes[i], r.status, r.head);
        }
        assert_true(r.body == NULL || strstr(r.body, "root:") == NULL);
        assert_true(strstr(r.head, "X: y") == NULL);
        reply_free(&r);
        /* The same without the token, and as a whole address. */
        char path[512];
        (void)snprintf(path, sizeof path, "/%s", escapes[i]);
        const int bare = status_of(ask(&s, "GET", path, ""));
        assert_true(bare == 404 || bare == 400);
        (void)snprintf(path, sizeof path, "http://127.0.0.1:%d/%s/%s", s.port, s.token, escapes[i]);
        const int whole = status_of(ask(&s, "GET", path, ""));
        assert_true(whole == 404 || whole == 400 || whole == 0);
    }
    /* A real zero byte. */
    char text[256];
    const int length =
        snprintf(text, sizeof text, "GET /%s/run@ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", s.token, s.port);
    *strchr(text, '@') = '\0';
    const int status = status_of(ask_bytes(&s, text, (size_t)length));
    assert_true(status == 400 || status == 404 || status == 0);
    assert_healthy();
}

static void test_host_and_origin(void **state)
{
    (void)state;
    const struct {
        const char *host, *origin; /* @: the port; NULL: no such line */
        int status;
    } cases[] = {
        {"127.0.0.1:@", NULL, 200},
        {"localhost:@", NULL, 200},
        {"LOCALHOST:@", NULL, 200},
        {"127.0.0.1:@", "http://127.0.0.1:@", 200},
        {"127.0.0.1:@", "http://localhost:@", 200},
        {NULL, NULL, 403},
        {"", NULL, 403},
        {"evil.example", NULL, 403},
        {"evil.example:@", NULL, 403},
        {"127.0.0.1", NULL, 403},
        {"127.0.0.1:1", NULL, 403},
        {"127.0.0.1:@.evil.example", NULL, 403},
        {"127.0.0.1:@0", NULL, 403},
        {"[::1]:@", NULL, 403},
        {"0.0.0.0:@", NULL, 403},
        {"127.0.0.1:@\r\nHost: evil.example", NULL, 403},
        {"127.0.0.1:@", "http://evil.example", 403},
        {"127.0.0.1:@", "https://127.0.0.1:@", 403},
        {"127.0.0.1:@", "http://127.0.0.1", 403},
        {"127.0.0.1:@", "http://127.0.0.1:@.evil.example", 403},
        {"127.0.0.1:@", "http://127.0.0.1:@/", 403},
        {"127.0.0.1:@", "null", 403},
        {"127.0.0.1:@", "file://", 403},
        {"127.0.0.1:@", "", 403},
        {"127.0.0.1:@", "http://127.0.0.1:@\r\nOrigin: http://evil.example", 403},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024], filled[1024];
        int length = snprintf(text, sizeof text, "GET /%s/run HTTP/1.1\r\n", s.token);
        if (cases[i].host != NULL) {
            length += snprintf(text + length, sizeof text - (size_t)length, "Host: %s\r\n", cases[i].host);
        }
        if (cases[i].origin != NULL) {
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "Origin: %s\r\n", cases[i].origin);
        }
        (void)snprintf(text + length, sizeof text - (size_t)length, "\r\n");
        size_t at = 0;
        for (const char *p = text; *p != '\0'; ++p) {
            at += (size_t)(*p == '@' ? snprintf(filled + at, sizeof filled - at, "%d", s.port)
                                     : snprintf(filled + at, sizeof filled - at, "%c", *p));
        }
        const int status = status_of(ask_bytes(&s, filled, at));
        if (status != cases[i].status) {
            fail_msg("Host %s, Origin %s: %d", cases[i].host, cases[i].origin, status);
        }
    }
}

static void test_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "MKCOL", "PROPFIND"};
    char path[128];
    (void)snprintf(path, sizeof path, "/%s/run", s.token);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        reply r = ask(&s, methods[i], path, "Content-Length: 0\r\n");
        if (r.status != 405 || strstr(r.head, "Allow: GET, HEAD\r\n") == NULL) {
            fail_msg("%s: %d", methods[i], r.status);
        }
        reply_free(&r);
    }
    static const char *const unknown[] = {"BREW", "get", "GETT", "TRACE", "CONNECT"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        const int status = status_of(ask(&s, unknown[i], path, ""));
        assert_true(status == 400 || status == 405);
    }
    /* A page of another site asks first whether it may. It may not. */
    reply r =
        ask(&s, "OPTIONS", path, "Origin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\n");
    assert_int_equal(r.status, 403);
    assert_true(strstr(r.head, "Access-Control") == NULL);
    reply_free(&r);
}

/* ---- too much, too slow ------------------------------------------------------------------------------------------------------ */

static void test_too_large(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    /* A header, an address, and many headers, of a megabyte each. */
    for (int kind = 0; kind < 3; ++kind) {
        int length = snprintf(
            text, SIZE,
            kind == 1 ? "GET /%s/" : "GET /%s/run HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-A: ", s.token, s.port);
        memset(text + length, 'a', SIZE - (size_t)length);
        for (int i = length; kind == 2 && i + 8 < SIZE; i += 8) {
            memcpy(text + i, "\r\nB: cde", 8);
        }
        memcpy(text + SIZE - 4, "\r\n\r\n", 4);
        const double begin = now_seconds();
        const int status = status_of(ask_bytes(&s, text, SIZE));
        assert_true(status == 0 || (status >= 400 && status < 500));
        assert_true(now_seconds() - begin < 5.0 * PATIENCE);
        assert_healthy();
    }
    free(text);

    /* A body that was announced and does not come is not waited for. */
    char path[128];
    (void)snprintf(path, sizeof path, "/%s/run", s.token);
    static const char *const bodies[] = {
        "Content-Length: 1000000000000000000\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: -1\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 99999999999999999999999999\r\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        const double begin = now_seconds();
        const int status = status_of(ask(&s, i % 2 == 0 ? "GET" : "POST", path, bodies[i]));
        assert_true(status == 200 || status == 405 || status == 400 || status == 411);
        assert_true(now_seconds() - begin < 5.0 * PATIENCE);
    }
    assert_healthy();
}

/* Connections that send a byte now and then. Fewer than the server has threads: nobody notices. More: others wait until the
   first are given up, after 5 s. */
static void test_slow_clients(void **state)
{
    (void)state;
    enum { FEW = 80, MANY = 160 }; /* there are 100 threads */
    int fds[MANY];
    int opened = 0;
    for (; opened < FEW; ++opened) {
        fds[opened] = dial(s.port);
        (void)send_all(fds[opened], "GET /", 5);
    }
    sleep_seconds(0.2);
    for (int i = 0; i < 20; ++i) {
        const double begin = now_seconds();
        assert_int_equal(status_of(get(&s, "frame/3")), 200);
        assert_true(now_seconds() - begin < 2.0 * PATIENCE); /* milliseconds on an idle machine */
    }
    for (; opened < MANY; ++opened) {
        fds[opened] = dial(s.port);
        if (fds[opened] >= 0) {
            (void)send_all(fds[opened], "G", 1);
        }
    }
    const double begin = now_seconds();
    int status = 0;
    while (status != 200 && now_seconds() - begin < 30.0 * PATIENCE) {
        for (int i = 0; i < MANY; ++i) {
            (void)send(fds[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
        status = status_of(get(&s, "frame/3"));
    }
    assert_int_equal(status, 200);
    print_message("beside %d slow connections: %.1f s\n", MANY, now_seconds() - begin);
    for (int i = 0; i < MANY; ++i) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
    assert_healthy();
}

/* ---- noise --------------------------------------------------------------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

/* A request that is wrong in some way, or by chance not. */
static size_t make_noise(char *text, size_t room)
{
    static const char *const paths[] = {"", "run", "frame/1", "live", "shot/1", "..", "%2e%2e/", "frame/-1"};
    static const char *const lines[] = {"Upgrade: websocket\r\nConnection: Upgrade\r\n",
                                        "Content-Length: 18446744073709551616\r\n",
                                        "Transfer-Encoding: chunked\r\n",
                                        "Range: bytes=0-,-1,5-2\r\n",
                                        "Expect: 100-continue\r\n",
                                        "Authorization: Digest username=\"%n%n\"\r\n",
                                        "Connection: keep-alive\r\nKeep-Alive: timeout=99999\r\n",
                                        "Host:\r\n",
                                        ": \r\n",
                                        "\r\n\r\n",
                                        ""};
    const unsigned kind = random_below(5);
    if (kind == 0) {
        const size_t size = random_below(2000);
        for (size_t i = 0; i < size; ++i) {
            text[i] = (char)random_below(256);
        }
        return size;
    }
    int length = snprintf(text, room, "%s /%s/%s HTTP/1.%u\r\nHost: 127.0.0.1:%d\r\n%s%s\r\n",
                          random_below(4) == 0 ? "POST" : "GET", s.token, paths[random_below(8)],
                          random_below(3), s.port, lines[random_below(11)], lines[random_below(11)]);
    for (unsigned i = kind == 1 ? 0 : random_below(8); i > 0; --i) {
        text[random_below((unsigned)length)] = (char)random_below(256);
    }
    if (kind == 3) {
        length = (int)random_below((unsigned)length + 1);
    }
    for (int i = 0; kind == 4 && i < 200 && length < (int)room; ++i) {
        text[length++] = (char)random_below(256);
    }
    return (size_t)length;
}

static void test_noise(void **state)
{
    (void)state;
    enum { REQUESTS = 10000 };
    char text[4096], answer[4096];
    int answered = 0;
    long before = 0;
    for (int i = 0; i < REQUESTS; ++i) {
        const size_t size = make_noise(text, sizeof text);
        const int fd = dial(s.port);
        assert_true(fd >= 0);
        (void)send_all(fd, text, size);
        (void)shutdown(fd, SHUT_WR);
        ssize_t n;
        bool any = false;
        for (int pieces = 0; pieces < 10000 && (n = recv(fd, answer, sizeof answer, 0)) > 0; ++pieces) {
            any = true;
        }
        answered += any;
        (void)close(fd);
        if (i == REQUESTS / 10) {
            before = server_memory(&s, "VmRSS"); /* every thread has had its turn by now */
        }
        if (i % 1000 == 0) {
            assert_healthy();
        }
    }
    const long after = server_memory(&s, "VmRSS");
    print_message("%d requests, %d answered; memory %ld kB, then %ld kB\n", REQUESTS, answered, before,
                  after);
    assert_true(answered > REQUESTS / 4);
    /* A leak of a hundred bytes a request would be 900 kB; what 100 threads keep in the allocator's pools varies by about as
       much. */
    assert_true(before > 0 && (after - before < 4096 || SANITIZED));
    assert_healthy();
}

/* ---- starting --------------------------------------------------------------------------------------------------------------------- */

static int exit_code(const char *arguments)
{
    char command[512];
    (void)snprintf(command, sizeof command, BRN_BINARY_DIR "/brunt view %s --no-open >/dev/null 2>&1",
                   arguments);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_start_and_stop(void **state)
{
    (void)state;
    /* Two servers have different tokens; a port that is taken is refused; Ctrl-C is answered at once. */
    const server other = server_start(folder, NULL);
    assert_string_not_equal(other.token, s.token);
    assert_int_equal(strlen(other.token), 32);
    char arguments[256];
    (void)snprintf(arguments, sizeof arguments, "%s --port %d", folder, other.port);
    assert_int_equal(exit_code(arguments), 1);
    const double begin = now_seconds();
    assert_int_equal(server_stop(&other, SIGINT), 128 + SIGINT);
    assert_true(now_seconds() - begin < 5.0 * PATIENCE);
    /* Its port is free again, and can be asked for. */
    char port[16];
    (void)snprintf(port, sizeof port, "%d", other.port);
    const char *const more[] = {"--port", port, NULL};
    const server again = server_start(folder, more);
    assert_int_equal(again.port, other.port);
    assert_int_equal(server_stop(&again, SIGTERM), 128 + SIGTERM);

    (void)snprintf(arguments, sizeof arguments, "%s --paused", folder);
    assert_int_equal(exit_code(arguments), 2);
    assert_int_equal(exit_code("/no/such/place"), 2);
    assert_int_equal(exit_code("/tmp"), 2);
    assert_int_equal(exit_code("--port 70000 x"), 2);
    (void)snprintf(arguments, sizeof arguments, "%s/summary.json", folder);
    assert_int_equal(exit_code(arguments), 2);
}

/* On a desktop the browser is opened. The command lines of all processes can be seen by everyone on the machine, so the
   address there is good for one visit only. */
static void test_browser(void **state)
{
    (void)state;
    char path[512], opener[128], seen[128] = "";
    (void)snprintf(opener, sizeof opener, "%s/xdg-open", folder);
    FILE *file = fopen(opener, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\nprintf '%%s' \"$*\" >\"${0%%/*}/opened.part\"\nmv "
                        "\"${0%%/*}/opened.part\" \"${0%%/*}/opened\"\n");
    (void)fclose(file);
    (void)chmod(opener, 0755);
    char *here = realpath(folder, NULL), *before = strdup(getenv("PATH"));
    assert_true(here != NULL && before != NULL);
    (void)snprintf(path, sizeof path, "%s:%s", here, before);
    (void)setenv("PATH", path, 1);
    (void)setenv("DISPLAY", ":99", 1);
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int out = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(out >= 0);
    server t = {.pid = server_fork(folder, NULL, out)};
    read_address(&t, terminal);
    (void)setenv("PATH", before, 1);
    (void)unsetenv("DISPLAY");

    (void)snprintf(path, sizeof path, "%s/opened", folder);
    for (int i = 0; i < 500 && access(path, R_OK) != 0; ++i) {
        sleep_seconds(0.02);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(seen, sizeof seen, file));
    (void)fclose(file);
    assert_true(strstr(seen, t.token) == NULL);
    int port = 0;
    char once[64] = "";
    assert_int_equal(sscanf(seen, "http://127.0.0.1:%d/%40[0-9a-f]", &port, once), 2);
    assert_int_equal(port, t.port);

    /* Not a token itself; leads to the page, once. */
    (void)snprintf(path, sizeof path, "/%s/run", once);
    assert_int_equal(status_of(ask(&t, "GET", path, "")), 404);
    (void)snprintf(path, sizeof path, "/%s", once);
    assert_int_equal(status_of(ask(&t, "GET", path, "Origin: http://evil.example\r\n")), 403);
    reply r = ask(&t, "GET", path, "");
    char line[128];
    (void)snprintf(line, sizeof line, "\r\nLocation: /%s/\r\n", t.token);
    assert_int_equal(r.status, 303);
    assert_non_null(strstr(r.head, line));
    reply_free(&r);
    assert_int_equal(status_of(ask(&t, "GET", path, "")), 404);
    assert_int_equal(server_stop(&t, SIGINT), 128 + SIGINT);
    (void)close(out);
    (void)close(terminal);
    free(here);
    free(before);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback_only),  cmocka_unit_test(test_answers),
        cmocka_unit_test(test_frame_numbers),  cmocka_unit_test(test_token),
        cmocka_unit_test(test_paths),          cmocka_unit_test(test_host_and_origin),
        cmocka_unit_test(test_methods),        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_slow_clients),   cmocka_unit_test(test_noise),
        cmocka_unit_test(test_start_and_stop), cmocka_unit_test(test_browser),
        cmocka_unit_test(test_growing_run),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
