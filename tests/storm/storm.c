/* Random scenes of everything, each judged by oracles that need no reference:

     storm BRUNT FROM TO [BUDGET]    runs the scenes FROM to TO - 1, each within so many seconds of processor time (30; more on
                                     a machine that is slower than the one that it is for, see storm_process.h)
     storm BRUNT NUMBER              one scene; its folder stays
     storm show NUMBER               prints it

   A line a scene, and rates at the end; those of RATED scenes or more become a section of docs/validation.md. Exit code 1: an
   oracle was broken, or a run did not end as a run must. */
#include "storm_judge.h"
#include "storm_process.h"

#include "validate/rows.h"

enum { RATED = 200, FINDINGS_MAX = 100 };

static const char *const ends[STORM_ENDS] = {"done", "suspect", "refused", "failed",
                                             "OVER", "CRASHED", "HUNG",    "SILENT"};
static const char *const oracles[STORM_ORACLES] = {"RESOLVED", "RESUMED", "MEETING", "RISE", "CONTACT"};

typedef struct tally {
    int scenes, wild, touching, end[STORM_ENDS], broken[STORM_ORACLES], findings;
    double cpu, longest, step;
    int longest_scene, step_scene;
    int finding[FINDINGS_MAX]; /* the first ones */
} tally;

static const char *word_of(const storm_scene *s)
{
    return s->method == STORM_SAP   ? "sap"
           : s->method == STORM_ACM ? "acm"
           : s->method == STORM_BBI ? s->still           ? "bbi static"
                                      : s->loading > 0.0 ? "bbi loaded"
                                                         : "bbi"
           : s->method == STORM_IPC ? s->still ? "ipc static" : "ipc"
           : s->still               ? "none static"
           : s->explicit_           ? "none explicit"
                                    : "none";
}

static void count(tally *all, int number, const storm_verdict *v)
{
    static storm_scene scene;
    storm_draw(number, &scene);
    bool bad = v->end > STORM_FAILED;
    all->scenes++;
    all->wild += !scene.tame;
    all->touching += v->contacts > 0.0;
    all->end[v->end]++;
    printf("%d %s %s: %s, %g contacts, %.2f s, step %.2f s", number, scene.tame ? "tame" : "wild",
           word_of(&scene), ends[v->end], v->contacts, v->cpu, v->step);
    for (int k = 0; k < STORM_ORACLES; ++k) {
        bad = bad || v->broken[k];
        all->broken[k] += v->broken[k];
        printf("%s%s", v->broken[k] ? " " : "", v->broken[k] ? oracles[k] : "");
    }
    printf("%s%s\n", v->note[0] != '\0' ? ": " : "", v->note);
    (void)fflush(stdout);
    if (bad && all->findings < FINDINGS_MAX) {
        all->finding[all->findings] = number;
    }
    all->findings += bad;
    all->cpu += v->cpu;
    if (v->cpu > all->longest) {
        all->longest = v->cpu;
        all->longest_scene = number;
    }
    if (v->step > all->step) {
        all->step = v->step;
        all->step_scene = number;
    }
}

static void print_tally(const tally *all)
{
    printf("%d scenes (%d wild, %d with contact):", all->scenes, all->wild, all->touching);
    for (int k = 0; k < STORM_ENDS; ++k) {
        printf(" %d %s%s", all->end[k], ends[k], k + 1 < STORM_ENDS ? "," : ";");
    }
    for (int k = 0; k < STORM_ORACLES; ++k) {
        printf(" %d %s%s", all->broken[k], oracles[k], k + 1 < STORM_ORACLES ? "," : "\n");
    }
    printf("%.3g s of processor time each, at most %.3g s (scene %d); longest step %.3g s (scene %d); "
           "findings in %d scenes%s",
           all->cpu / all->scenes, all->longest, all->longest_scene, all->step, all->step_scene,
           all->findings, all->findings > 0 ? ":" : "\n");
    for (int i = 0; i < all->findings && i < FINDINGS_MAX; ++i) {
        printf(" %d%s", all->finding[i], i + 1 == all->findings || i + 1 == FINDINGS_MAX ? "\n" : "");
    }
}

/* The numbers of scenes that ended in each way, as rows. */
static void write_rates(const tally *all, int from, double budget)
{
    const bool acm = from >= STORM_ACM_FROM;
    const bool launches = from >= STORM_LAUNCH_FROM && !acm;
    const bool sap = from >= STORM_SAP_FROM && !acm;
    static const char *const endings[STORM_ENDS] = {
        "done",
        "done, and said to be suspect",
        "refused before the first step, with a reason",
        "gave up, with a reason",
        "more processor time than the budget",
        "ended by a signal",
        "hung",
        "gave up without a reason",
    };
    const char *const broken[STORM_ORACLES] = {
        "other bits from its own resolved scene on two threads",
        "other bits after kill -9 and --resume",
        sap ? "tame bodies deeper in each other than a twentieth of the size"
            : "an intersection, by exact rationals",
        "energy that no work explains",
        "contact at the start where nothing is near",
    };
    char note[100];
    FILE *file = validation_open(
        acm        ? "storm_acm"
        : launches ? "storm_launch"
        : sap      ? "storm_sap"
                   : "storm",
        acm        ? "Random scenes of acm"
        : launches ? "Random launches"
        : sap      ? "Random scenes of sap"
                   : "Random scenes",
        "Scenes of all body types, materials, elements, integrators and solvers, 1 mm to 100 m, 1e3 to 2e11 "
        "Pa "
        "(`tests/storm`), a quarter of them *wild*: nothing in these need fit to anything else. Measured is "
        "the "
        "number of scenes that end in each way; those with an exact number fail the test if it is another.");
    (void)snprintf(note, sizeof note, "%d of them wild, %d with contact", all->wild, all->touching);
    validation_row(file, "scenes", NAN, all->scenes, NAN, note);
    for (int k = 0; k < STORM_ENDS; ++k) {
        if (k == STORM_OVER) {
            (void)snprintf(note, sizeof note, "budget %g s", budget);
        } else {
            note[0] = '\0';
        }
        validation_row(file, endings[k], k > STORM_FAILED ? 0.0 : NAN, all->end[k], NAN, note);
    }
    for (int k = 0; k < STORM_ORACLES; ++k) {
        validation_row(file, broken[k], 0.0, all->broken[k], NAN, "");
    }
    validation_close(file);
}

int main(int argc, char **argv)
{
    static storm_scene scene;
    if (argc == 3 && strcmp(argv[1], "show") == 0) {
        storm_draw(atoi(argv[2]), &scene);
        (void)fputs(scene.text, stdout);
        return 0;
    }
    if (argc < 3 || argc > 5) {
        (void)fprintf(stderr,
                      "usage: storm BRUNT FROM TO [BUDGET] | storm BRUNT NUMBER | storm show NUMBER\n");
        return 2;
    }
    tally all = {0};
    const int from = atoi(argv[2]), to = argc > 3 ? atoi(argv[3]) : from + 1;
    const double budget = argc > 4 ? atof(argv[4]) : 30.0;
    double slowest = 1.0;
    for (int number = from; number < to; ++number) {
        const double slowness = storm_slowness();
        slowest = slowness > slowest ? slowness : slowest;
        const storm_verdict v = storm_judge(argv[1], number, budget * slowness, argc == 3);
        count(&all, number, &v);
    }
    print_tally(&all);
    if (slowest > 1.1) {
        printf("the machine is up to %.2f times as slow as the one that %g s are for: budgets were longer\n",
               slowest, budget);
    }
    if (all.scenes >= RATED) {
        write_rates(&all, from, budget);
    }
    return all.findings > 0 || all.scenes == 0;
}
