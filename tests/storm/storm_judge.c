#include "storm_judge.h"

#include "flow.h"
#include "storm_process.h"
#include "storm_surface.h"

#include <signal.h>
#include <sys/stat.h>

enum { PATH = 200, FAILED_CODE = 1, REFUSED_CODE = 2 };
/* Of the largest energy. A step is repeated from 1 % on; explicit integration swings by up to half (docs/output.md, Balances). */
static const double RISE = 0.0101, SWING = 0.5;

typedef struct trial {
    const char *brunt;
    const storm_scene *scene;
    char folder[PATH / 2];
    double budget;
    brn_rng rng; /* moments of kills */
    storm_verdict verdict;
} trial;

/* ---- files of a run ----------------------------------------------------------------------------------------------------- */

static char *read_text(const char *folder, const char *name)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0, length = 0;
    while (file != NULL && !feof(file)) {
        size = 2 * size + 4096;
        text = realloc(text, size);
        assert_non_null(text);
        length += fread(text + length, 1, size - length - 1, file);
        text[length] = '\0';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

/* The text of a key of summary.json; "": it is not there. */
static void summary_text(const char *folder, const char *key, char *out, size_t size)
{
    char quoted[60];
    char *text = read_text(folder, "summary.json");
    (void)snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    at = at != NULL ? at + strlen(quoted) : "";
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
    free(text);
}

/* The number of a column in a line of series.csv, NaN if there is none. */
static double cell(const char *header, const char *line, const char *column)
{
    const size_t n = strlen(column);
    for (const char *h = header; *h != '\0' && *h != '\n'; ++h, ++line) {
        if (strncmp(h, column, n) == 0 && (h[n] == ',' || h[n] == '\n')) {
            return *line == ',' || *line == '\n' ? NAN : strtod(line, NULL);
        }
        h += strcspn(h, ",\n");
        line += strcspn(line, ",\n");
        if (*h != ',' || *line != ',') {
            break;
        }
    }
    return NAN;
}

/* ---- what the books say ------------------------------------------------------------------------------------------------- */

static void break_oracle(trial *t, storm_oracle oracle, const char *format, ...)
{
    storm_verdict *v = &t->verdict;
    const size_t at = strlen(v->note);
    va_list list;
    va_start(list, format);
    v->broken[oracle] = true;
    (void)snprintf(v->note + at, sizeof v->note - at, "; ");
    if (at + 2 < sizeof v->note) {
        (void)vsnprintf(v->note + at + 2, sizeof v->note - at - 2, format, list);
    }
    va_end(list);
}

/* Energy above that of the start, or of the end of loading, and the work done since, over the largest of its parts in the run. */
static void read_books(trial *t, const char *folder)
{
    static const char *const parts[] = {"kinetic", "elastic", "gravity", "contact"};
    char *text = read_text(folder, "series.csv");
    const char *line = text != NULL ? strchr(text, '\n') : NULL;
    double start = NAN, gravity = NAN, done = NAN, rise = 0.0, scale = t->scene->noise;
    bool begin = true;
    for (line = line != NULL ? line + 1 : NULL; line != NULL && strchr(line, '\n') != NULL;
         line = strchr(line, '\n') + 1) {
        t->verdict.contacts = fmax(t->verdict.contacts, cell(text, line, "contacts"));
        t->verdict.step = fmax(t->verdict.step, cell(text, line, "wall_s"));
        if (begin && cell(text, line, "contacts") > 0.0 && !t->scene->near) {
            break_oracle(t, STORM_REST_FREE, "%g contacts at the start", cell(text, line, "contacts"));
        }
        begin = false;
        if (cell(text, line, "time") < t->scene->loading * (1.0 - 1e-9)) {
            continue; /* gravity grows: no energy is its own yet */
        }
        const bool first = isnan(start);
        done = first ? cell(text, line, "work") : done;
        gravity = first ? cell(text, line, "gravity") : gravity;
        const double work = cell(text, line, "work") - done;
        double sum = 0.0;
        for (int k = 0; k < 4; ++k) {
            const double energy = cell(text, line, parts[k]);
            sum += isnan(energy) ? 0.0 : energy;
            scale = fmax(scale, fabs(k == 2 ? energy - gravity : energy));
        }
        start = first ? sum : start;
        scale = fmax(scale, fabs(work));
        rise = fmax(rise, sum - start - work);
    }
    free(text);
    t->verdict.rise = rise / scale;
    const double limit = t->scene->explicit_ ? SWING : RISE;
    if (!t->scene->still && t->verdict.rise > limit && t->verdict.end == STORM_DONE) {
        break_oracle(t, STORM_NO_RISE, "energy rises by %.3g", t->verdict.rise);
    }
}

/* ---- how a run ended ---------------------------------------------------------------------------------------------------- */

/* The message of a run that gave up: what follows its last "error: ", or the first problem of the scene. */
static void read_reason(trial *t, const char *log)
{
    char *text = read_text(t->folder, log);
    const char *scene = text != NULL ? strstr(text, "scene.yaml:") : NULL;
    const char *error = text != NULL ? strstr(text, "error: ") : NULL;
    const char *on = error != NULL ? strstr(error, "could not go on: ") : NULL;
    const char *reason = on != NULL ? on + 17 : scene != NULL ? scene : error != NULL ? error + 7 : "";
    (void)snprintf(t->verdict.note, sizeof t->verdict.note, "%.*s", (int)strcspn(reason, "\n"), reason);
    free(text);
}

static bool sanitizer_spoke(const trial *t, const char *log)
{
    char *text = read_text(t->folder, log);
    const bool spoke =
        text != NULL && (strstr(text, "Sanitizer") != NULL || strstr(text, "runtime error:") != NULL);
    free(text);
    return spoke;
}

static storm_end end_of(trial *t, const storm_ran *ran, const char *run, const char *log)
{
    char status[40], folder[PATH];
    (void)snprintf(folder, sizeof folder, "%s/%s", t->folder, run);
    summary_text(folder, "status", status, sizeof status);
    if (ran->hangs) {
        return STORM_HUNG;
    }
    if (ran->signal == SIGXCPU || (ran->signal == SIGKILL && ran->cpu >= t->budget)) {
        return STORM_OVER;
    }
    if (ran->signal != 0 || sanitizer_spoke(t, log) || ran->code > REFUSED_CODE) {
        return STORM_CRASHED;
    }
    if (ran->code == 0) {
        return STORM_DONE;
    }
    if (ran->code == FAILED_CODE && strcmp(status, "suspect") == 0) {
        summary_text(folder, "reason", t->verdict.note, sizeof t->verdict.note);
        return STORM_SUSPECT;
    }
    read_reason(t, log);
    const bool reasoned = strlen(t->verdict.note) > 10; /* more than a word */
    return !reasoned ? STORM_SILENT : ran->code == REFUSED_CODE ? STORM_REFUSED : STORM_FAILED;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

static storm_ran run(const trial *t, const char *scene, const char *out, const char *const options[2],
                     double budget, double kill)
{
    char from[PATH], to[PATH], log[PATH];
    (void)snprintf(from, sizeof from, "%s/%s", t->folder, scene);
    (void)snprintf(to, sizeof to, "%s/%s", t->folder, out);
    (void)snprintf(log, sizeof log, "%s/%s.log", t->folder, out);
    const char *const argv[] = {t->brunt, "run", from, "--out", to, options[0], options[1], NULL};
    return storm_run(argv, log, budget, kill);
}

/* Another run came to the same end with the same state. */
static void compare(trial *t, const storm_ran *first, const storm_ran *ran, const char *out,
                    storm_oracle oracle)
{
    char folder[PATH], hash[2][40], status[2][40];
    for (int i = 0; i < 2; ++i) {
        (void)snprintf(folder, sizeof folder, "%s/%s", t->folder, i == 0 ? "first" : out);
        summary_text(folder, "state_hash", hash[i], sizeof hash[i]);
        summary_text(folder, "status", status[i], sizeof status[i]);
    }
    if (ran->code != first->code || strcmp(hash[0], hash[1]) != 0 || strcmp(status[0], status[1]) != 0) {
        break_oracle(t, oracle, "%s: code %d, signal %d, %s %s instead of %s %s", out, ran->code, ran->signal,
                     status[1], hash[1], status[0], hash[0]);
    }
}

/* Bodies may end deep in each other if the run says so: as suspect, or by a warning where contact gives way. */
static bool told(const trial *t, const char *folder)
{
    char warnings[600];
    summary_text(folder, "warnings", warnings, sizeof warnings);
    return t->verdict.end == STORM_SUSPECT || strstr(warnings, "deep in each other") != NULL;
}

static void look_for_meetings(trial *t, const char *folder)
{
    storm_met met;
    char trajectory[PATH + 20];
    (void)snprintf(trajectory, sizeof trajectory, "%s/trajectory.h5", folder);
    if (!storm_meetings(trajectory, t->scene, &met)) {
        break_oracle(t, STORM_NO_MEETING, "no frame to look at");
    } else if (storm_promises(t->scene) ? met.count > 0 : met.depth > t->scene->depth && !told(t, folder)) {
        break_oracle(t, STORM_NO_MEETING, "%d intersections, %.3g m deep: %s", met.count, met.depth,
                     met.where);
    }
}

static void judge_runs(trial *t)
{
    static const char *const one[2] = {"--threads=1", NULL}, *const two[2] = {"--threads=2", NULL},
                             *const on[2] = {"--threads=1", "--resume"};
    const double longer =
        3.0 * t->budget; /* two threads wait for each other, and a resumed run repeats steps */
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/first", t->folder);
    const storm_ran first = run(t, "scene.yaml", "first", one, t->budget, 0.0);
    storm_verdict *v = &t->verdict;
    v->cpu = first.cpu;
    v->end = end_of(t, &first, "first", "first.log");
    read_books(t, path);
    if (v->end > STORM_FAILED || v->end == STORM_REFUSED) {
        return;
    }
    storm_ran ran = run(t, "first/scene.yaml", "resolved", two, longer, 0.0);
    compare(t, &first, &ran, "resolved", STORM_SAME_RESOLVED);
    (void)run(t, "scene.yaml", "resumed", two, longer, fmax(0.01, pick(&t->rng, 0.0, 1.0) * first.wall));
    ran = run(t, "scene.yaml", "resumed", on, longer, 0.0);
    compare(t, &first, &ran, "resumed", STORM_SAME_RESUMED);
    if (t->scene->method != STORM_NONE) {
        look_for_meetings(t, path);
    }
}

storm_verdict storm_judge(const char *brunt, int number, double budget, bool keep)
{
    static storm_scene scene;
    char path[PATH];
    trial t = {.brunt = brunt, .scene = &scene, .budget = budget, .rng = {(uint64_t)number}};
    storm_draw(number, &scene);
    (void)snprintf(t.folder, sizeof t.folder, "storm_runs/%d", number);
    flow_clear_folder(t.folder);
    (void)mkdir("storm_runs", 0755);
    assert_int_equal(mkdir(t.folder, 0755), 0);
    (void)snprintf(path, sizeof path, "%s/scene.yaml", t.folder);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs(scene.text, file) >= 0 && fclose(file) == 0);
    judge_runs(&t);
    bool good = t.verdict.end <= STORM_FAILED;
    for (int k = 0; k < STORM_ORACLES; ++k) {
        good = good && !t.verdict.broken[k];
    }
    if (good && !keep) {
        flow_clear_folder(t.folder);
    }
    return t.verdict;
}
