/* Runs a scene in all ways that must not matter, and says what was wrong. */
#ifndef BRN_TESTS_STORM_STORM_JUDGE_H
#define BRN_TESTS_STORM_STORM_JUDGE_H

#include "storm_scene.h"

typedef enum storm_end {
    STORM_DONE,
    STORM_SUSPECT, /* done, and says itself that it is not to be trusted */
    STORM_REFUSED, /* before the first step */
    STORM_FAILED,  /* gave up, with a reason */
    STORM_OVER,    /* more processor time than its budget: a finding, as is what follows */
    STORM_CRASHED, /* by a signal, or a sanitizer spoke */
    STORM_HUNG,
    STORM_SILENT, /* gave up without a reason */
    STORM_ENDS
} storm_end;

/* What must hold of every scene that ended. */
typedef enum storm_oracle {
    STORM_SAME_RESOLVED, /* same bits from its own scene.yaml, with two threads */
    STORM_SAME_RESUMED,  /* same bits after kill -9 and --resume */
    STORM_NO_MEETING,
    STORM_NO_RISE,   /* of energy without work */
    STORM_REST_FREE, /* no contact at the start that was not near by design */
    STORM_ORACLES
} storm_oracle;

typedef struct storm_verdict {
    storm_end end;
    bool broken[STORM_ORACLES];
    double cpu, step; /* [s] of the run; of its longest step, wall time */
    double contacts;  /* the most at the end of a step */
    double rise;      /* of energy without work, over the largest energy */
    char note[300];   /* reason, or what was broken */
} storm_verdict;

/* Leaves the folder storm_runs/NUMBER in the current one if anything is wrong or keep is set. */
storm_verdict storm_judge(const char *brunt, int number, double budget, bool keep);

#endif
