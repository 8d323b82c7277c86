/* Rows of docs/validation.md. A program opens its section, writes a row a measurement and closes it; the files land in
   BRN_BINARY_DIR/validation/ and tools/validation_table joins them. */
#ifndef BRN_TESTS_VALIDATE_ROWS_H
#define BRN_TESTS_VALIDATE_ROWS_H

#include "test.h"

#include <errno.h>
#include <sys/stat.h>

/* `text`: what is measured, against what, and with which tolerance and why. */
static inline FILE *validation_open(const char *name, const char *title, const char *text)
{
    char path[4096];
    if (mkdir(BRN_BINARY_DIR "/validation", 0777) != 0) {
        assert_int_equal(errno, EEXIST);
    }
    (void)snprintf(path, sizeof path, BRN_BINARY_DIR "/validation/%s.md", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "## %s\n\n%s\n\n", title, text);
    fprintf(file, "| quantity | exact | measured | error | note |\n|---|---:|---:|---:|---|\n");
    return file;
}

/* NaN in `exact` or `error`: the row has none. */
static inline void validation_row(FILE *file, const char *quantity, double exact, double measured,
                                  double error, const char *note)
{
    char cell[3][40] = {"", "", ""};
    const double value[3] = {exact, measured, error};
    for (int i = 0; i < 3; ++i) {
        if (!isnan(value[i])) {
            (void)snprintf(cell[i], sizeof cell[i], i == 2 ? "%.2g" : "%.6g", value[i]);
        }
    }
    fprintf(file, "| %s | %s | %s | %s | %s |\n", quantity, cell[0], cell[1], cell[2], note);
    print_message("%-60s exact %-12s measured %-12s error %-9s %s\n", quantity, cell[0], cell[1], cell[2],
                  note);
}

static inline void validation_close(FILE *file)
{
    fprintf(file, "\n");
    assert_int_equal(fclose(file), 0);
}

#endif
