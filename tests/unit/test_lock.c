/* The lock of a folder: one holder, in this process and among several, gone with the process, and the fallback where the
   system has no locks. */
#define _GNU_SOURCE /* syscall, flock */
#include "test.h"

#include "base/lock.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In place of the C library's: a file system without locks, where it is asked for. */
static bool no_locks;

int flock(int fd, int operation)
{
    if (no_locks) {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, operation);
}

static const char folder[] = "lock-folder";
static const char file[] = "lock-folder/brunt.lock";

static void clear(void)
{
    (void)remove(file);
    (void)rmdir(folder);
}

static void write_text(const char *text)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* The second is refused with the first's name, and leaves the file alone; after the first it is free. */
static void one_holder(void **state)
{
    (void)state;
    brn_ctx *a = test_ctx(1);
    brn_ctx *b = test_ctx(1);
    for (int k = 0; k < 2; ++k) {
        no_locks = k == 1;
        clear();
        brn_lock *first = NULL;
        brn_lock *second = NULL;
        char who[64];
        (void)snprintf(who, sizeof who, "process %ld on ", (long)getpid());
        assert_done(a, brn_lock_take(a, folder, &first));
        assert_int_equal(brn_lock_take(b, folder, &second), BRN_ERR_BUSY);
        assert_null(second);
        assert_non_null(strstr(brn_ctx_message(b), who));
        assert_non_null(strstr(brn_ctx_message(b), folder));
        assert_non_null(strstr(brn_ctx_message(b), " UTC"));
        assert_done(a, brn_lock_check(first));
        brn_lock_release(first);
        assert_false(brn_file_exists(file));
        assert_done(b, brn_lock_take(b, folder, &second));
        brn_lock_release(second);
    }
    no_locks = false;
    brn_lock_release(NULL);
    clear();
    brn_ctx_destroy(b);
    brn_ctx_destroy(a);
}

/* What a killed process leaves behind is no lock, whatever it says; a program started by the holder does not have it. */
static void ends_with_the_process(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int k = 0; k < 2; ++k) {
        no_locks = k == 1;
        clear();
        int ends[2];
        char byte = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            brn_lock *held = NULL;
            const brn_status status = brn_lock_take(ctx, folder, &held);
            const pid_t program = status >= 0 ? fork() : -1;
            if (program == 0) { /* outlives the holder a little */
                (void)execl("/bin/sleep", "sleep", "2", (char *)NULL);
                _exit(1);
            }
            /* the program must have started: only then it has let go */
            (void)usleep(200000);
            (void)!write(ends[1], program > 0 ? "y" : "n", 1);
            (void)pause();
            _exit(0);
        }
        assert_int_equal(read(ends[0], &byte, 1), 1);
        assert_int_equal(byte, 'y');
        brn_lock *lock = NULL;
        assert_int_equal(brn_lock_take(ctx, folder, &lock), BRN_ERR_BUSY);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_true(brn_file_exists(file));
        assert_done(ctx, brn_lock_take(ctx, folder, &lock));
        brn_lock_release(lock);
        (void)close(ends[0]);
        (void)close(ends[1]);
    }
    no_locks = false;
    clear();
    brn_ctx_destroy(ctx);
}

/* Without locks a name of another machine decides, and the message says what to delete; nonsense is nobody. */
static void without_locks(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_lock *lock = NULL;
    clear();
    assert_done(ctx, brn_dir_make(ctx, folder));
    const char elsewhere[] = "process 7 on no-such-host since yesterday\n";
    write_text(elsewhere);
    no_locks = true;
    assert_int_equal(brn_lock_take(ctx, folder, &lock), BRN_ERR_BUSY);
    assert_non_null(strstr(brn_ctx_message(ctx), "process 7 on no-such-host, since yesterday"));
    assert_non_null(strstr(brn_ctx_message(ctx), "delete lock-folder/brunt.lock if it has ended"));
    char *text = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, file, 1000, &text, &length));
    assert_string_equal(text, elsewhere);
    brn_free(ctx, text);
    write_text("process -1 on");
    assert_done(ctx, brn_lock_take(ctx, folder, &lock));
    brn_lock_release(lock);
    no_locks = false;
    write_text(elsewhere); /* with locks the text is only a text */
    assert_done(ctx, brn_lock_take(ctx, folder, &lock));
    brn_lock_release(lock);
    clear();
    brn_ctx_destroy(ctx);
}

/* The owner notices that the folder is not its own any more; the file alone may go. */
static void lost_folder(void **state)
{
    (void)state;
    brn_ctx *a = test_ctx(1);
    brn_ctx *b = test_ctx(1);
    brn_lock *first = NULL;
    brn_lock *second = NULL;
    clear();
    assert_done(a, brn_lock_take(a, folder, &first));
    assert_int_equal(remove(file), 0);
    assert_done(a, brn_lock_check(first));
    assert_done(b, brn_lock_take(b, folder, &second));
    assert_int_equal(brn_lock_check(first), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(a), folder));
    /* The loser does not take the other's lock with it. */
    brn_lock_release(first);
    assert_true(brn_file_exists(file));
    assert_done(b, brn_lock_check(second));
    assert_int_equal(rename(folder, "lock-moved"), 0);
    assert_int_equal(brn_lock_check(second), BRN_ERR_FILE);
    assert_done(a, brn_dir_make(a, folder));
    assert_int_equal(brn_lock_check(second), BRN_ERR_FILE);
    brn_lock_release(second);
    (void)remove("lock-moved/brunt.lock");
    (void)rmdir("lock-moved");
    clear();
    brn_ctx_destroy(b);
    brn_ctx_destroy(a);
}

/* Something else of that name is refused without waiting. */
static void not_a_file(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_lock *lock = NULL;
    clear();
    assert_done(ctx, brn_dir_make(ctx, folder));
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_int_equal(brn_lock_take(ctx, folder, &lock), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "not a regular file"));
    clear();
    assert_int_equal(brn_lock_take(ctx, "/dev/null", &lock), BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

/* Many processes take and release: never two at a time. The counter in the file `turn` shows it. */
static void never_two(void **state)
{
    (void)state;
    enum { PROCESSES = 8, TURNS = 200 };
    clear();
    (void)remove("lock-turn");
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; ++i) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            brn_ctx *ctx = test_ctx(1);
            for (int k = 0; k < TURNS;) {
                brn_lock *lock = NULL;
                const brn_status status = brn_lock_take(ctx, folder, &lock);
                if (status == BRN_ERR_BUSY) {
                    continue;
                }
                /* alone: nobody else has the file */
                const int fd = status >= 0 ? open("lock-turn", O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
                if (fd < 0 || close(fd) != 0 || unlink("lock-turn") != 0) {
                    _exit(1);
                }
                brn_lock_release(lock);
                ++k;
            }
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; ++i) {
        int status = 0;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_holder),    cmocka_unit_test(ends_with_the_process),
        cmocka_unit_test(without_locks), cmocka_unit_test(lost_folder),
        cmocka_unit_test(not_a_file),    cmocka_unit_test(never_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
