/* Any bytes as a design problem beside a scene: read, checked, its expressions computed, and a few evaluations of a study whose simulations are
   made up; or refused with a reason. The first byte chooses search or sweep. Problems that name another scene are left out. */
#include "fuzz_folder.h"

#include "base/hash.h"
#include "study/design_inner.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { EVALUATIONS = 6 };

static const char scene_text[] = "brunt: 1\n"
                                 "time: {step: 0.1, end: 0.2}\n"
                                 "method: none\n"
                                 "gravity: [0, 0, -9.81]\n"
                                 "contact: {friction: 0.5}\n"
                                 "materials: {m: {type: linear, young: 2e11, poisson: 0.3, density: 7800}}\n"
                                 "meshes: {a: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
                                 "bodies: [{name: b, type: deformable, mesh: a, material: m}]\n"
                                 "fixed: [{name: f, body: b, where: {face: -z}}]\n"
                                 "output: {probes: [{name: p, body: b, where: {face: +z}}]}\n";

/* Nothing of it outlives the program. */
int fsync(int fd)
{
    (void)fd;
    return 0;
}

/* ---- simulations that are made up -------------------------------------------------------------------------------------------- */

/* A number of any size, the same for the same settings. */
static double number_of(const brn_design_job *job)
{
    uint64_t hash = BRN_HASH_START;
    for (int i = 0; i < job->nset; ++i) {
        hash = brn_hash_text(hash, job->set[i]);
    }
    const double part = (double)(hash >> 11) * 0x1p-53;
    return hash % 16 == 0 ? NAN : hash % 16 == 1 ? 1e300 : (part - 0.5) * 10.0;
}

typedef struct simulation {
    brn_ctx *ctx;
    int64_t number; /* under way */
} simulation;

static brn_status start(void *user, const brn_design_job *job)
{
    simulation *s = user;
    s->number = job->number;
    char path[512], text[256];
    must(strncmp(job->folder, fuzz_folder(), strlen(fuzz_folder())) == 0);
    const brn_status made = brn_dir_make(s->ctx, job->folder);
    if (made < 0) {
        must(made == BRN_ERR_MEMORY);
        return made;
    }
    (void)snprintf(path, sizeof path, "%s/summary.json", job->folder);
    static const char summary[] = "{\n  \"status\": \"done\",\n  \"peak_mb\": null\n}\n";
    fuzz_put_file(path, summary, sizeof summary - 1);
    (void)snprintf(path, sizeof path, "%s/series.csv", job->folder);
    const double value = number_of(job);
    const int n = isnan(value) ? snprintf(text, sizeof text, "time,kinetic,p.dz\n0.0,,\n")
                               : snprintf(text, sizeof text,
                                          "time,kinetic,p.dz\n0.0,1.0,%.17g\n1.0,%.17g,0.5\n", value, -value);
    fuzz_put_file(path, text, (size_t)n);
    return BRN_OK;
}

static brn_status collect(void *user, brn_design_outcome *out)
{
    const simulation *s = user;
    *out = (brn_design_outcome){.number = s->number, .wall = 1.0, .cpu = 1.0};
    if (s->number % 4 == 3) {
        out->status = BRN_ERR_CONVERGENCE;
        (void)snprintf(out->reason, sizeof out->reason, "no convergence");
    }
    return BRN_OK;
}

static bool progress(void *user, const brn_design_progress *p)
{
    (void)user;
    return p->done >= EVALUATIONS;
}

static void run(brn_ctx *ctx, brn_design *design)
{
    char path[256];
    simulation s = {.ctx = ctx};
    brn_design_options options = brn_design_options_default();
    brn_design_result result;
    options.out = fuzz_path("study", path);
    options.overwrite = true;
    options.no_rerun = true;
    options.evaluations = EVALUATIONS;
    options.evaluator = (brn_evaluator){1, start, collect, &s};
    options.progress = progress;
    const brn_status status = brn_design_run(design, &options, &result);
    must(status >= 0 || brn_ctx_message(ctx)[0] != '\0');
    for (int64_t i = 0; i < brn_design_evaluation_count(design); ++i) {
        brn_design_evaluation e;
        must(brn_design_get_evaluation(design, i, &e) == BRN_OK);
        for (int k = 0; k < brn_design_parameter_count(design); ++k) {
            brn_design_parameter p;
            must(brn_design_get_parameter(design, k, &p) == BRN_OK);
            must(e.x[k] >= p.min && e.x[k] <= p.max);
        }
    }
}

/* ---- a problem ---------------------------------------------------------------------------------------------------------------- */

static void check(brn_ctx *ctx, const brn_design *design, brn_status status)
{
    must(status >= 0 || brn_ctx_message(ctx)[0] != '\0');
    must(status != BRN_ERR_SCENE || brn_design_problem_count(design) > 0);
    for (int i = 0; i < brn_design_problem_count(design); ++i) {
        must(brn_design_problem(design, i)[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char NAME[] = "scene: s.yaml";
    char path[256];
    if (fuzz_folder_path[0] == '\0') {
        fuzz_put_file(fuzz_path("s.yaml", path), scene_text, sizeof scene_text - 1);
    }
    if (size == 0 || find_word(data, size, NAME) == size) {
        return 0;
    }
    size_t bytes = 0;
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = bounded_realloc;
    options.realloc_user = &bytes;
    brn_ctx *ctx = NULL;
    must(brn_ctx_create(&options, &ctx) == BRN_OK);
    brn_design *design = NULL;
    const brn_design_kind kind = data[0] % 2 == 0 ? BRN_DESIGN_SEARCH : BRN_DESIGN_SWEEP;
    brn_status status = brn_design_parse(ctx, (const char *)data + 1, size - 1,
                                         fuzz_path("problem.yaml", path), kind, &design);
    check(ctx, design, status);
    if (status >= 0) {
        status = brn_design_prepare(design);
        check(ctx, design, status);
    }
    if (status >= 0) {
        run(ctx, design);
    }
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
    must(bytes == 0);
    return 0;
}
