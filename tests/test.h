/* What every test file includes: cmocka in the order it wants, and a few checks on numbers. */
#ifndef BRN_TESTS_TEST_H
#define BRN_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <brunt/brunt.h>

#ifndef BRN_TEST_STAYS /* a program whose arguments are paths */
/* Whatever folder a test is started from, it leaves its files beside the tests' programs, not among the sources. */
__attribute__((constructor)) static inline void test_go_to_build(void)
{
    if (chdir(BRN_BINARY_DIR "/tests") != 0) {
        perror(BRN_BINARY_DIR "/tests");
        _exit(1);
    }
}
#endif

/* |got - want| <= tolerance, with both numbers in the message; NaN fails. */
static inline void test_near(double got, double want, double tolerance, const char *what, const char *file,
                             int line)
{
    if (!(fabs(got - want) <= tolerance)) {
        print_error("%s: got %.17g, want %.17g, off by %.3g, allowed %.3g\n", what, got, want,
                    fabs(got - want), tolerance);
        _fail(file, line);
    }
}

#define assert_near(got, want, tolerance) test_near((got), (want), (tolerance), #got, __FILE__, __LINE__)

/* The call succeeded; else its status and the ctx's message. */
#define assert_done(ctx, expr)                                                    \
 do {                                                                             \
  const brn_status status_ = (expr);                                              \
  if (status_ < 0) {                                                              \
   fail_msg("%s: %s: %s", #expr, brn_status_name(status_), brn_ctx_message(ctx)); \
  }                                                                               \
 } while (0)

static inline brn_ctx *test_ctx(int threads)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    return ctx;
}

static inline void test_write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
