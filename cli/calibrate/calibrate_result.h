/* What `brunt calibrate` found, for its table, files and page. */
#ifndef CLI_CALIBRATE_RESULT_H
#define CLI_CALIBRATE_RESULT_H

#include "terminal/grow_text.h"

#include <brunt/study.h>

typedef struct cli_calibrated {
    brn_ctx *ctx;
    const char *trace, *column; /* as the user called it; name of the column, "" if it has none */
    const double *time, *value; /* [count] all samples */
    int count;
    brn_ring_down fit;
    brn_ring_mode mode; /* the chosen one, without the shift of an integrator */
    double newmark;     /* [s] whose shift that is; 0: none was taken out */
    bool automatic;     /* the window starts by itself, after the largest displacement */
    /* With a scene: */
    const char *scene; /* NULL: without */
    brn_calibrate_options wanted;
    brn_calibration found;
    const brn_calibrated_list *list;
    const char *text; /* the scene with the new values */
} cli_calibrated;

/* lambda_t [rad^2/s^2], damping ratio and beta [s] of the mode alone. */
double cli_calibrate_lambda(const brn_ring_mode *mode);
double cli_calibrate_ratio(const brn_ring_mode *mode);
double cli_calibrate_beta(const brn_ring_mode *mode);

/* The table, on stdout. */
void cli_calibrate_print(const cli_calibrated *c);
/* The page with its figures, one HTML file that needs nothing else. */
void cli_calibrate_page(const cli_calibrated *c, cli_text *out);
/* calibrate.json, fit.csv, calibrate.html and calibrated.yaml in a folder; false after an error that was printed. */
bool cli_calibrate_write(const cli_calibrated *c, const char *dir);

#endif
