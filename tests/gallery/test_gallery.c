/* Every scene of the gallery runs to its end and shows the figures that its expected.yaml promises. Entries are

       - {figure: NAME, is: VALUE, within: TOLERANCE, why: TEXT}
       - {figure: NAME, below: VALUE, why: TEXT}

   where NAME is a key of summary.json or a column of series.csv (its last value). Without `within` a number must be
   equal; a word must be the same. Arguments: names of scenes, or `--except` and names; none: all of them. */
#include "test.h"

#include "base/os.h"
#include "base/text.h"
#include "scene/yaml_tree.h"

#include <dirent.h>

enum { FIGURES_MAX = 2000 };

typedef struct figures {
    int count;
    struct {
        char name[160];
        char value[64];
    } item[FIGURES_MAX];
} figures;

static void add_figure(figures *f, const char *name, size_t name_length, const char *value,
                       size_t value_length)
{
    assert_true(f->count < FIGURES_MAX);
    (void)snprintf(f->item[f->count].name, sizeof f->item[0].name, "%.*s", (int)name_length, name);
    (void)snprintf(f->item[f->count].value, sizeof f->item[0].value, "%.*s", (int)value_length, value);
    ++f->count;
}

__attribute__((noinline)) static char *read_text(brn_ctx *ctx, const char *dir, const char *name)
{
    char path[4096];
    char *text = NULL;
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_done(ctx, brn_file_read(ctx, path, 1 << 28, &text, &length));
    return text;
}

/* summary.json is one flat object, a line an entry:  "name": value, */
static void read_summary(brn_ctx *ctx, const char *dir, figures *f)
{
    char *text = read_text(ctx, dir, "summary.json");
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *name = strchr(line, '"');
        char *colon = name != NULL ? strstr(name, "\": ") : NULL;
        if (colon != NULL) {
            const char *value = colon + 3;
            size_t length = strcspn(value, ",");
            if (*value == '"') {
                length = strcspn(++value, "\"");
            }
            add_figure(f, name + 1, (size_t)(colon - name - 1), value, length);
        }
    }
    brn_free(ctx, text);
}

/* The last row of series.csv. */
static void read_series(brn_ctx *ctx, const char *dir, figures *f)
{
    char *const text = read_text(ctx, dir, "series.csv");
    const char *head = text;
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == '\n') {
        text[--end] = '\0';
    }
    const char *row = strrchr(text, '\n');
    assert_non_null(row);
    for (++row; *head != '\n' && *head != '\0';) {
        const size_t name = strcspn(head, ",\n");
        const size_t value = strcspn(row, ",\n");
        add_figure(f, head, name, row, value);
        head += name + (head[name] == ',');
        row += value + (row[value] == ',');
    }
    brn_free(ctx, text);
}

static const char *child_text(const brn_yaml *map, const char *key)
{
    const brn_yaml *child = brn_yaml_child(map, key, strlen(key));
    return child != NULL ? child->text : NULL;
}

static double number(const char *text)
{
    double value = NAN;
    assert_true(brn_parse_real(text, &value));
    return value;
}

/* One expectation; false (told) if it is not met. */
static bool check(const char *scene, const brn_yaml *entry, const figures *f)
{
    const char *name = child_text(entry, "figure");
    const char *is = child_text(entry, "is");
    const char *below = child_text(entry, "below");
    const char *within = child_text(entry, "within");
    assert_non_null(name);
    assert_true((is != NULL) != (below != NULL));
    for (int i = 0; i < f->count; ++i) {
        if (strcmp(f->item[i].name, name) != 0) {
            continue;
        }
        const char *got = f->item[i].value;
        double value = NAN;
        const bool numeric = brn_parse_real(got, &value);
        const bool met = below != NULL    ? numeric && value < number(below)
                         : within != NULL ? numeric && fabs(value - number(is)) <= number(within)
                         : numeric        ? value == number(is)
                                          : strcmp(got, is) == 0;
        print_message("%s  %-28s %-24s %s %s%s%s\n", met ? "   ok" : "WRONG", name, got,
                      below != NULL ? "below" : "is", below != NULL ? below : is,
                      within != NULL ? " within " : "", within != NULL ? within : "");
        return met;
    }
    print_error("%s: no figure '%s'\n", scene, name);
    return false;
}

static void ignore_problem(void *user, int line, const char *path, const char *text)
{
    print_error("%s:%d: %s %s\n", (const char *)user, line, path, text);
}

/* Runs one scene; returns the number of expectations that were not met. */
static int run_scene(brn_ctx *ctx, const char *name)
{
    char path[1024];
    char out[1024];
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    (void)snprintf(out, sizeof out, BRN_BINARY_DIR "/gallery/%s", name);
    (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s/scene.yaml", name);
    options.out = out;
    options.overwrite = true;
    print_message("%s\n", name);
    assert_done(ctx, brn_scene_load(ctx, path, &scene));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    brn_scene_destroy(scene);
    figures *f = calloc(1, sizeof *f);
    assert_non_null(f);
    read_summary(ctx, out, f);
    read_series(ctx, out, f);
    (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s", name);
    char *text = read_text(ctx, path, "expected.yaml");
    brn_bump memory = {.ctx = ctx};
    brn_yaml *root = NULL;
    const brn_yaml_options reading = {
        .depth_max = 8, .nodes_max = 10000, .problem = ignore_problem, .user = path};
    assert_done(ctx, brn_yaml_parse(&memory, text, strlen(text), &reading, &root));
    assert_int_equal(root->kind, BRN_YAML_LIST);
    assert_true(root->count > 0);
    int wrong = 0;
    for (int i = 0; i < root->count; ++i) {
        wrong += !check(name, root->items[i], f);
    }
    brn_bump_clear(&memory);
    brn_free(ctx, text);
    free(f);
    return wrong;
}

static int named_count;
static char **named;
static bool except; /* all but the named ones */

static bool is_named(const char *name)
{
    bool found = false;
    for (int i = 0; i < named_count; ++i) {
        found = found || strcmp(named[i], name) == 0;
    }
    return found;
}

static void test_gallery(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(0);
    int scenes = 0;
    int wrong = 0;
    DIR *dir = opendir(BRN_SOURCE_DIR "/scenes");
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.' && is_named(entry->d_name) != except) {
            wrong += run_scene(ctx, entry->d_name);
            ++scenes;
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    assert_true(except ? scenes > 0 : scenes == named_count);
    assert_int_equal(wrong, 0);
    brn_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    except = argc == 1 || strcmp(argv[1], "--except") == 0;
    named = argv + (except && argc > 1 ? 2 : 1);
    named_count = (int)(argv + argc - named);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gallery)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
