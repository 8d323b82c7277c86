/* Surfaces are filled by another program: from several threads, whatever it does, whatever becomes of the caller. Programs
   that misbehave are shell scripts that BRUNT_FILL names. */
#include "test.h"

#include "base/child.h"
#include "base/os.h"
#include "model/mesh_source.h"
#include "model/read/fill_program.h"
#include "model/read/fill_wire.h"
#include "model/read/readers.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char box[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                          "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void wait_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
}

/* Fills the box in a ctx of its own. The message stays in `said`. */
static brn_status fill_box(double resolution, brn_mesh **out, brn_ctx **ctx, char said[1024])
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_mesh *surface = NULL;
    *out = NULL;
    brn_status status = brn_ctx_create(&options, ctx);
    if (status >= 0) {
        status = brn_read_obj(*ctx, box, strlen(box), "box.obj", &surface);
    }
    if (status >= 0) {
        status = brn_mesh_fill_surface(*ctx, surface, resolution, BRN_TET4, out);
    }
    (void)snprintf(said, 1024, "%s", status < 0 ? brn_ctx_message(*ctx) : "");
    brn_mesh_destroy(surface);
    return status;
}

/* Filling fails with this status and words in its message. */
static void refuse(brn_status wanted, const char *words)
{
    brn_ctx *ctx = NULL;
    brn_mesh *mesh = NULL;
    char said[1024];
    const brn_status status = fill_box(0.25, &mesh, &ctx, said);
    if (status != wanted || strstr(said, words) == NULL) {
        fail_msg("status %s, said '%s', wanted %s with '%s'", brn_status_name(status), said,
                 brn_status_name(wanted), words);
    }
    assert_null(mesh);
    brn_ctx_destroy(ctx);
}

static void succeed(void)
{
    brn_ctx *ctx = NULL;
    brn_mesh *mesh = NULL;
    char said[1024];
    if (fill_box(0.25, &mesh, &ctx, said) < 0) {
        fail_msg("%s", said);
    }
    assert_true(mesh->ncell[BRN_TET4] > 200);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* BRUNT_FILL = a script of these lines. */
static void use_script(const char *lines)
{
    const char *path = "./fill_script.sh";
    (void)unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s\n", lines) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(setenv("BRUNT_FILL", path, 1), 0);
}

static int use_own(void **state)
{
    (void)state;
    (void)unsetenv("BRUNT_FILL");
    (void)unsetenv("BRUNT_FILL_SECONDS");
    (void)unlink("./fill_script.sh");
    return 0;
}

/* ---- programs that are not there or misbehave -------------------------------------------------------------------------- */

static void test_missing(void **state)
{
    (void)state;
    assert_int_equal(setenv("BRUNT_FILL", "/no/such/brunt-fill", 1), 0);
    refuse(BRN_ERR_MISSING, "/no/such/brunt-fill: cannot be started: No such file");
    assert_int_equal(setenv("BRUNT_FILL", "/", 1), 0);
    refuse(BRN_ERR_MISSING, "/: cannot be started: ");
}

static void test_ends_without_answer(void **state)
{
    (void)state;
    use_script("exit 7");
    refuse(BRN_ERR_MESH, "./fill_script.sh ended with code 7 and no answer: start it by hand");
    use_script("kill -SEGV $$");
    refuse(BRN_ERR_MESH,
           "was ended by signal 11 (Segmentation fault): gmsh cannot mesh this surface so: repair it");
    use_script("head -c 100 >/dev/null; kill -KILL $$");
    refuse(BRN_ERR_MESH, "was ended by signal 9");
    use_script("kill -INT $$");
    refuse(BRN_ERR_CANCELLED, "was interrupted");
    use_script("kill -XCPU $$");
    refuse(BRN_ERR_LIMIT, "needed more than");
}

static void test_hangs(void **state)
{
    (void)state;
    static const char *const scripts[] = {"exec sleep 1000", "cat >/dev/null",
                                          "exec >&- <&-; exec sleep 1000", "printf abc; exec sleep 1000",
                                          /* it cannot be asked to end */
                                          "trap '' TERM INT HUP; while :; do :; done"};
    assert_int_equal(setenv("BRUNT_FILL_SECONDS", "0.1", 1), 0);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        use_script(scripts[i]);
        const double start = brn_wall_time();
        if (i == 2) { /* seen at once: nothing can come any more */
            refuse(BRN_ERR_MESH, "ended without an answer");
        } else {
            refuse(BRN_ERR_LIMIT, "did not finish within 0.4 s: choose a larger resolution");
        }
        assert_true(brn_wall_time() - start <
                    30.0); /* seconds, not the 1000 of the script, on a busy machine */
    }
    assert_int_equal(setenv("BRUNT_FILL_SECONDS", "soon", 1), 0);
    refuse(BRN_ERR_RANGE, "BRUNT_FILL_SECONDS='soon' in the environment: must be a number");
}

/* Answers that are not what they should be, as C strings for printf of the shell. */
static void test_wrong_answers(void **state)
{
    (void)state;
    static const char *const answers[] = {
        /* longer than any mesh */
        "\\377\\377\\377\\377\\377\\377\\377\\177",
        /* no header; another version */
        "\\4\\0\\0\\0\\0\\0\\0\\0abcd",
        "\\30\\0\\0\\0\\0\\0\\0\\0brnfill0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0",
        /* more nodes than bytes; a text longer than said; a tet of unknown nodes; a node that is not a number */
        "\\30\\0\\0\\0\\0\\0\\0\\0brnfill1\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0",
        "\\32\\0\\0\\0\\0\\0\\0\\0brnfill1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0ab",
        "\\50\\0\\0\\0\\0\\0\\0\\0brnfill1\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
        "\\0\\0\\0\\0\\1\\0\\0\\0\\2\\0\\0\\0\\3\\0\\0\\0",
        "\\60\\0\\0\\0\\0\\0\\0\\0brnfill1\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
        "\\377\\377\\377\\377\\377\\377\\377\\377\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i) {
        char script[1024];
        (void)snprintf(script, sizeof script, "printf '%s'", answers[i]);
        use_script(script);
        refuse(BRN_ERR_FORMAT, "its answer is not one of this version");
    }
    /* Half an answer, and what gmsh says, which may be anything. */
    use_script("printf '\\30\\0\\0\\0\\0\\0\\0\\0brn'");
    refuse(BRN_ERR_MESH, "ended with code 0 and no answer");
    use_script(
        "printf '\\34\\0\\0\\0\\0\\0\\0\\0brnfill1\\4\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0a\\33%%b'");
    refuse(BRN_ERR_MESH, "surface: a %b");
}

#ifdef BRN_WITH_FILL

/* ---- the program proper ------------------------------------------------------------------------------------------------ */

typedef struct worker {
    double resolution;
    bool done;
    int nnode, ntet;
    double pos_sum;
    char said[1024];
} worker;

static void *work(void *user)
{
    worker *w = user;
    brn_ctx *ctx = NULL;
    brn_mesh *mesh = NULL;
    w->done = fill_box(w->resolution, &mesh, &ctx, w->said) >= 0;
    if (w->done) {
        w->nnode = mesh->nnode;
        w->ntet = mesh->ncell[BRN_TET4];
        for (int i = 0; i < 3 * mesh->nnode; ++i) {
            w->pos_sum += (1 + i % 7) * mesh->pos[i / 3][i % 3];
        }
    }
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
    return NULL;
}

/* Two ctx in two threads, five times, and each gets what it gets alone. */
static void test_threads(void **state)
{
    (void)state;
    static const double resolutions[2] = {0.2, 0.3};
    worker alone[2] = {{.resolution = resolutions[0]}, {.resolution = resolutions[1]}};
    (void)work(&alone[0]);
    (void)work(&alone[1]);
    for (int round = 0; round < 5; ++round) {
        worker together[2] = {{.resolution = resolutions[0]}, {.resolution = resolutions[1]}};
        pthread_t thread[2];
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
        }
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(pthread_join(thread[i], NULL), 0);
            assert_string_equal(together[i].said, "");
            assert_true(together[i].done);
            assert_int_equal(together[i].nnode, alone[i].nnode);
            assert_int_equal(together[i].ntet, alone[i].ntet);
            assert_true(together[i].pos_sum == alone[i].pos_sum);
        }
    }
}

/* Number of a process of this name whose parent is this one, 0 if there is none; state: 'Z' has ended. */
static pid_t find_child(pid_t parent, const char *name)
{
    pid_t found = 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[300];
        char comm[64] = "";
        char state = 0;
        int pid = 0;
        int above = 0;
        (void)snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file != NULL) {
            if (fscanf(file, "%d (%63[^)]) %c %d", &pid, comm, &state, &above) == 4 && above == parent &&
                state != 'Z' && strcmp(comm, name) == 0) {
                found = pid;
            }
            (void)fclose(file);
        }
    }
    (void)closedir(folder);
    return found;
}

static pid_t await_child(pid_t parent, const char *name)
{
    for (int i = 0; i < 3000; ++i) {
        const pid_t pid = find_child(parent, name);
        if (pid != 0) {
            return pid;
        }
        wait_ms(10);
    }
    fail_msg("%s was not started", name);
    return 0;
}

/* A box this fine keeps gmsh busy for a minute. */
static const double fine = 0.02;

static void test_killed_midway(void **state)
{
    (void)state;
    worker w = {.resolution = fine};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, &w), 0);
    /* Meshing anew is tried first; after its crash, the triangles as they are. */
    for (int i = 0; i < 2; ++i) {
        const pid_t pid = await_child(getpid(), "brunt-fill");
        wait_ms(300);
        assert_int_equal(kill(pid, SIGSEGV), 0);
        for (int k = 0; k < 500 && find_child(getpid(), "brunt-fill") == pid; ++k) {
            wait_ms(10);
        }
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(w.done);
    assert_non_null(strstr(w.said, "was ended by signal 11"));
    succeed();
}

/* A caller that is cancelled does not wait. */
static void *cancel_soon(void *user)
{
    wait_ms(300);
    brn_ctx_cancel(user, true);
    return NULL;
}

static void test_cancelled(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *surface = NULL;
    brn_mesh *mesh = NULL;
    pthread_t thread;
    assert_done(ctx, brn_read_obj(ctx, box, strlen(box), "box.obj", &surface));
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, ctx), 0);
    const double start = brn_wall_time();
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, fine, BRN_TET4, &mesh), BRN_ERR_CANCELLED);
    assert_true(brn_wall_time() - start <
                20.0); /* a fifth of a second, on a busy machine; gmsh takes a minute */
    assert_string_equal(brn_ctx_message(ctx), "surface: cancelled while it was filled with tets");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(find_child(getpid(), "brunt-fill"), 0);
    assert_null(mesh);
    brn_mesh_destroy(surface);
    brn_ctx_destroy(ctx);
}

/* The program ends with a caller that is killed. */
static void test_caller_is_killed(void **state)
{
    (void)state;
    const pid_t caller = fork();
    assert_true(caller >= 0);
    if (caller == 0) {
        worker w = {.resolution = fine};
        (void)work(&w);
        _exit(0);
    }
    const pid_t pid = await_child(caller, "brunt-fill");
    wait_ms(300);
    assert_int_equal(kill(caller, SIGKILL), 0);
    assert_int_equal(waitpid(caller, NULL, 0), caller);
    bool gone = false;
    for (int i = 0; i < 2000 && !gone; ++i) {
        char path[64];
        char comm[64] = "";
        (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "r");
        int number = 0;
        char how = 'Z';
        gone = file == NULL || fscanf(file, "%d (%63[^)]) %c", &number, comm, &how) != 3 || how == 'Z' ||
               strcmp(comm, "brunt-fill") != 0;
        if (file != NULL) {
            (void)fclose(file);
        }
        wait_ms(10);
    }
    assert_true(gone);
}

/* A host that ignores its children, has others, blocks signals, keeps many files open and has closed its streams. */
static void test_strange_hosts(void **state)
{
    (void)state;
    const pid_t other = fork();
    if (other == 0) {
        wait_ms(600000);
        _exit(0);
    }
    int spare[64];
    for (int i = 0; i < 64; ++i) { /* no O_CLOEXEC, as hosts do */
        spare[i] = dup(STDERR_FILENO);
    }
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    assert_int_equal(sigprocmask(SIG_SETMASK, &all, &before), 0);
    succeed();
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    void (*const old)(int) = signal(SIGCHLD, SIG_IGN);
    succeed();
    use_script("exit 7");
    refuse(BRN_ERR_MESH, "ended without an answer: gmsh cannot mesh this surface so");
    (void)use_own(NULL);
    (void)signal(SIGCHLD, old);
    for (int i = 0; i < 64; ++i) {
        (void)close(spare[i]);
    }
    /* The other child is still there to be waited for. */
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
    /* Standard streams closed: descriptors 0 to 2 are then the socket's. */
    const pid_t bare = fork();
    if (bare == 0) {
        for (int i = 0; i < 3; ++i) {
            (void)close(i);
        }
        worker w = {.resolution = 0.5};
        (void)work(&w);
        _exit(w.done ? 0 : 1);
    }
    int how = 0;
    assert_int_equal(waitpid(bare, &how, 0), bare);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* The limits that the program puts on itself. */
static void test_limits(void **state)
{
    (void)state;
    assert_int_equal(setenv("BRUNT_FILL_SECONDS", "1", 1), 0);
    worker w = {.resolution = fine};
    (void)work(&w);
    assert_false(w.done);
    /* One second of CPU time or four on the clock: whichever comes first where other work is done. */
    assert_true(strstr(w.said, "of CPU time") != NULL || strstr(w.said, "did not finish within 4 s") != NULL);
}

/* Requests that the library would never send: refused, not followed. */
static void test_wrong_requests(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    char program[BRN_PATH_SIZE + 16];
    brn_program_folder(program);
    strcat(program, "/../brunt-fill");
    struct {
        brn_fill_request head;
        double pos[4][3];
        uint32_t tri[4][3];
        uint32_t solid[4];
    } request = {{"", 4, 4, 1, 0, 1.0, 1.0 / 6.0, 60.0, 4e9},
                 {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                 {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                 {0, 0, 0, 0}};
    memcpy(request.head.magic, BRN_FILL_MAGIC, 8);
    for (int i = 0; i < 6; ++i) {
        __typeof__(request) wrong = request;
        size_t size = sizeof wrong;
        switch (i) {
        case 1:
            wrong.head.magic[7] = '0';
            break;
        case 2:
            wrong.tri[3][2] = 4;
            break;
        case 3:
            wrong.solid[0] = 1;
            break;
        case 4:
            wrong.pos[1][2] = NAN;
            break;
        case 5:
            wrong.head.nsolid = 5;
            break;
        default:
            break;
        }
        brn_child_result result;
        assert_done(ctx, brn_child_call(ctx, program, &wrong, size, 60.0, 1000000, &result));
        assert_int_equal(result.end, i == 0 ? BRN_CHILD_ANSWERED : BRN_CHILD_EXITED);
        assert_int_equal(result.code, i == 0 ? 0 : 3);
        brn_free(ctx, result.bytes);
    }
    brn_ctx_destroy(ctx);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_missing, use_own),
        cmocka_unit_test_teardown(test_ends_without_answer, use_own),
        cmocka_unit_test_teardown(test_hangs, use_own),
        cmocka_unit_test_teardown(test_wrong_answers, use_own),
#ifdef BRN_WITH_FILL
        cmocka_unit_test_teardown(test_threads, use_own),
        cmocka_unit_test_teardown(test_killed_midway, use_own),
        cmocka_unit_test_teardown(test_cancelled, use_own),
        cmocka_unit_test_teardown(test_caller_is_killed, use_own),
        cmocka_unit_test_teardown(test_strange_hosts, use_own),
        cmocka_unit_test_teardown(test_limits, use_own),
        cmocka_unit_test_teardown(test_wrong_requests, use_own),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
