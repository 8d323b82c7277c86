/* Random scenes of everything, each judged by oracles that need no reference:

     storm BRUNT FROM TO [BUDGET]    runs the scenes FROM to TO - 1, each within so many seconds of processor time (30)
     storm BRUNT NUMBER              one scene; its folder stays
     storm show NUMBER               prints it

   A line a scene, and rates at the end. Exit code 1: an oracle was broken, or a run did not end as a run must. */
#include "storm_judge.h"

static const char *const ends[STORM_ENDS] = {"done", "suspect", "refused", "failed",
                                             "OVER", "CRASHED", "HUNG",    "SILENT"};
static const char *const oracles[STORM_ORACLES] = {"RESOLVED", "RESUMED", "MEETING", "RISE", "CONTACT"};

typedef struct tally {
    int scenes, wild, touching, end[STORM_ENDS], broken[STORM_ORACLES], findings;
    double cpu, longest, step;
    int longest_scene, step_scene;
} tally;

static const char *word_of(const storm_scene *s)
{
    return s->ipc         ? s->still ? "ipc static" : "ipc"
           : s->still     ? "none static"
           : s->explicit_ ? "none explicit"
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
           "findings in %d scenes\n",
           all->cpu / all->scenes, all->longest, all->longest_scene, all->step, all->step_scene,
           all->findings);
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
    for (int number = from; number < to; ++number) {
        const storm_verdict v = storm_judge(argv[1], number, argc > 4 ? atof(argv[4]) : 30.0, argc == 3);
        count(&all, number, &v);
    }
    print_tally(&all);
    return all.findings > 0 || all.scenes == 0;
}
