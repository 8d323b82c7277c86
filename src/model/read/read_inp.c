/* Meshes of Abaqus and CalculiX input files: *NODE, *ELEMENT, *NSET, *ELSET; every other card is skipped, and those that
   would change the mesh are refused by name. Labels ignore case and keep the spelling that came first. An element set
   becomes the group of its nodes, named "X_elements" where a node set has the name X too. Sets and nodes of an
   *ASSEMBLY are taken only where they belong to the (single) part instance.

   The file is read three times, because it may use things before it defines them: nodes, elements, sets. */
#include "model/read/inp.h"
#include "model/read/readers.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool is_comment(brn_span line)
{
    return line.length >= 2 && line.at[0] == '*' && line.at[1] == '*';
}

/* Next data line, blanks trimmed; false at a card or at the end of the file. Comments and empty lines are skipped. */
bool brn_inp_next(brn_scan *scan, brn_span *line)
{
    while (scan->at < scan->end) {
        const char *before = scan->at;
        *line = brn_span_trim(brn_scan_line(scan));
        if (line->length > 0 && line->at[0] == '*' && !is_comment(*line)) {
            scan->at = before;
            return false;
        }
        if (line->length > 0 && !is_comment(*line)) {
            return true;
        }
    }
    scan->mark = scan->at;
    return false;
}

brn_span brn_inp_unquoted(brn_span span)
{
    span = brn_span_trim(span);
    if (span.length >= 2 && span.at[0] == '"' && span.at[span.length - 1] == '"') {
        span = (brn_span){span.at + 1, span.length - 2};
    }
    return span;
}

static void take_parameter(brn_inp_card *out, brn_span text)
{
    const brn_span key = brn_span_trim(brn_span_split(&text, '='));
    const brn_span value = brn_inp_unquoted(text);
    const struct {
        const char *name;
        brn_span *to;
    } known[] = {{"TYPE", &out->type},         {"NSET", &out->nset},   {"ELSET", &out->elset},
                 {"INSTANCE", &out->instance}, {"INPUT", &out->input}, {"SYSTEM", &out->system}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (brn_span_is(key, known[i].name)) {
            *known[i].to = value;
        }
    }
    out->generate = out->generate || brn_span_is(key, "GENERATE");
}

/* A keyword line; one that ends in a comma continues on the next line. */
static void read_card(brn_scan *scan, brn_inp_card *out)
{
    *out = (brn_inp_card){0};
    brn_span line = brn_span_trim(brn_scan_line(scan));
    out->at = scan->mark;
    line = (brn_span){line.at + 1, line.length - 1};
    out->keyword = brn_span_trim(brn_span_split(&line, ','));
    for (;;) {
        while (line.length > 0) {
            const brn_span parameter = brn_span_trim(brn_span_split(&line, ','));
            if (parameter.length > 0) {
                take_parameter(out, parameter);
            }
        }
        /* A continuation holds parameters, which start with a letter; data do not. */
        const bool comma = line.at > scan->start && line.at[-1] == ',';
        if (!comma || !brn_scan_more_here(scan, false) || !isalpha((unsigned char)*scan->at)) {
            break;
        }
        line = brn_span_trim(brn_scan_line(scan));
    }
    scan->mark = out->at;
}

brn_status brn_inp_int(const brn_scan *scan, brn_span field, const char *what, int64_t *out)
{
    if (!brn_span_int(field, out)) {
        return brn_scan_fail(scan, "expected %s (a whole number), found '%.*s'", what, brn_span_shown(field),
                             field.at);
    }
    return BRN_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* number, x, y, z; coordinates left out are 0. */
static brn_status read_nodes(brn_inp *in)
{
    brn_scan *scan = &in->scan;
    brn_span line;
    while (brn_inp_next(scan, &line)) {
        int64_t number = 0;
        BRN_TRY(brn_inp_int(scan, brn_span_trim(brn_span_split(&line, ',')), "a node number", &number));
        if (number < 1 || number > INT64_MAX / 4) {
            return brn_scan_fail(scan, "node number %lld: must be > 0", (long long)number);
        }
        double pos[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3 && line.length > 0; ++i) {
            const brn_span field = brn_span_trim(brn_span_split(&line, ','));
            if (field.length > 0 && !brn_span_real(field, &pos[i])) {
                return brn_scan_fail(scan, "expected a coordinate (a finite number), found '%.*s'",
                                     brn_span_shown(field), field.at);
            }
        }
        BRN_TRY(brn_draft_add_node(&in->draft, scan, number, pos));
    }
    return BRN_OK;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* A kind by the family and the number of nodes in its name: C3D8R is family C3D, 8 nodes. All have VTK's node order. */
static const struct {
    const char *family;
    int nnode;
    brn_cell kind;
} kinds[] = {
    {"C3D", 4, BRN_TET4},  {"C3D", 10, BRN_TET10}, {"C3D", 8, BRN_HEX8},  {"C3D", 20, BRN_HEX20},
    {"CPE", 3, BRN_TRI3},  {"CPE", 6, BRN_TRI6},   {"CPE", 4, BRN_QUAD4}, {"CPE", 8, BRN_QUAD8},
    {"CPS", 3, BRN_TRI3},  {"CPS", 6, BRN_TRI6},   {"CPS", 4, BRN_QUAD4}, {"CPS", 8, BRN_QUAD8},
    {"S", 3, BRN_TRI3},    {"S", 6, BRN_TRI6},     {"S", 4, BRN_QUAD4},   {"S", 8, BRN_QUAD8},
    {"STRI", 3, BRN_TRI3}, {"STRI", 65, BRN_TRI6}, {"M3D", 3, BRN_TRI3},  {"M3D", 6, BRN_TRI6},
    {"M3D", 4, BRN_QUAD4}, {"M3D", 8, BRN_QUAD8},  {"T2D", 2, BRN_EDGE2}, {"T3D", 2, BRN_EDGE2},
    {"T2D", 3, BRN_EDGE3}, {"T3D", 3, BRN_EDGE3},
};

/* The kind of an element type, or -1 and the dimension that it has (a guess by family for what brunt cannot use). */
static int kind_of(brn_span type, int *dim)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const size_t n = strlen(kinds[i].family);
        if (!brn_span_starts(type, kinds[i].family) || type.length == n) {
            continue;
        }
        int number = 0;
        size_t c = n;
        for (; c < type.length && isdigit((unsigned char)type.at[c]) && number < 1000; ++c) {
            number = 10 * number + (type.at[c] - '0');
        }
        /* What follows says how it is integrated (R, I, H, M, T, ...), which does not matter to the mesh. */
        if (number == kinds[i].nnode && (c == type.length || isalpha((unsigned char)type.at[c]))) {
            *dim = brn_cell_get(kinds[i].kind)->dim;
            return (int)kinds[i].kind;
        }
    }
    static const char *const solid[] = {"C3D", "DC3D", "AC3D", "CAX", "CGAX", "DCAX", "CCL", "SC", "COH3D"};
    static const char *const flat[] = {"S", "CP", "M3D", "R3D", "DS", "DC2D", "AC2D", "SAX", "COH2D"};
    *dim = 1;
    for (size_t i = 0; i < sizeof flat / sizeof *flat; ++i) {
        const bool spring = brn_span_starts(type, "SPRING");
        *dim = brn_span_starts(type, flat[i]) && !spring ? 2 : *dim;
    }
    for (size_t i = 0; i < sizeof solid / sizeof *solid; ++i) {
        *dim = brn_span_starts(type, solid[i]) ? 3 : *dim;
    }
    return -1;
}

/* Node numbers of one element, over as many lines as they take. */
static brn_status read_element_nodes(brn_inp *in, brn_span line, int count, const char *type, int *node)
{
    brn_scan *scan = &in->scan;
    for (int i = 0; i < count;) {
        if (line.length == 0 && !brn_inp_next(scan, &line)) {
            return brn_scan_fail(scan, "expected %d node numbers of an element (%s), found %d", count, type,
                                 i);
        }
        const brn_span field = brn_span_trim(brn_span_split(&line, ','));
        if (field.length == 0 && line.length == 0) {
            continue; /* a comma at the end of the line */
        }
        int64_t number = 0;
        BRN_TRY(brn_inp_int(scan, field, "a node number", &number));
        BRN_TRY(brn_draft_get_node(&in->draft, scan, number, &node[i]));
        ++i;
    }
    if (brn_span_trim(line).length > 0) {
        return brn_scan_fail(scan, "expected %d node numbers of an element (%s), found more", count, type);
    }
    return BRN_OK;
}

static brn_status add_element(brn_inp *in, brn_cell kind, int64_t number, const int *node, int set)
{
    brn_ctx *ctx = in->scan.ctx;
    int index = 0;
    if (in->nelement == INT_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "%s: more than %d elements", in->scan.name, INT_MAX);
    }
    BRN_TRY(brn_idmap_put(ctx, &in->numbers, number, in->nelement, &index));
    if (index != in->nelement) {
        return brn_scan_fail(&in->scan, "element number %lld was used before", (long long)number);
    }
    BRN_GROW(ctx, in->element, in->element_capacity, in->nelement + 1);
    in->element[in->nelement++] = (brn_inp_element){kind, in->draft.cells[kind].count, -1};
    BRN_TRY(brn_draft_add_cell(&in->draft, kind, node));
    return set >= 0 ? brn_inp_add_to_elset(in, set, index) : BRN_OK;
}

static brn_status read_elements(brn_inp *in, const brn_inp_card *head)
{
    brn_scan *scan = &in->scan;
    if (head->type.length == 0) {
        return brn_scan_fail(scan, "expected TYPE=... on the *ELEMENT card");
    }
    int dim = 0;
    const int kind = kind_of(head->type, &dim);
    int set = -1;
    if (head->elset.length > 0) {
        BRN_TRY(brn_inp_get_elset(in, head->elset, &set));
    }
    if (kind < 0) {
        brn_draft_refuse(&in->draft, scan, dim, head->type);
        in->skipped = true;
        return BRN_OK;
    }
    const brn_cell_info *info = brn_cell_get((brn_cell)kind);
    brn_span line;
    while (brn_inp_next(scan, &line)) {
        int64_t number = 0;
        int node[20];
        const char *mark = scan->mark;
        BRN_TRY(brn_inp_int(scan, brn_span_trim(brn_span_split(&line, ',')), "an element number", &number));
        BRN_TRY(read_element_nodes(in, line, info->nnode, info->name, node));
        scan->mark = mark;
        BRN_TRY(add_element(in, (brn_cell)kind, number, node, set));
    }
    return BRN_OK;
}

/* ---- cards ------------------------------------------------------------------------------------------------------- */

/* Cards that make or move nodes and elements: ignoring them would give another mesh. */
static brn_status refuse_card(brn_inp *in, const brn_inp_card *head)
{
    static const char *const refused[] = {"INCLUDE", "NGEN",   "NFILL", "ELGEN",
                                          "NCOPY",   "ELCOPY", "NMAP",  "SYSTEM"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        if (brn_span_is(head->keyword, refused[i])) {
            return brn_scan_fail(&in->scan, "*%s is not supported: write the mesh out into one file",
                                 refused[i]);
        }
    }
    return BRN_OK;
}

static brn_status enter_part(brn_inp *in)
{
    in->in_part = true;
    if (++in->nparts > 1) {
        return brn_scan_fail(&in->scan, "a second *PART is not supported: write one mesh a file");
    }
    return BRN_OK;
}

/* A moved instance has its translation and rotation in data lines. */
static brn_status check_instance(brn_inp *in)
{
    brn_span line;
    if (brn_inp_next(&in->scan, &line)) {
        return brn_scan_fail(&in->scan, "a moved *INSTANCE is not supported: give the position in the scene");
    }
    return BRN_OK;
}

static brn_status read_mesh_card(brn_inp *in, const brn_inp_card *head)
{
    const bool node = brn_span_is(head->keyword, "NODE");
    const bool is_element = brn_span_is(head->keyword, "ELEMENT");
    const bool nset = brn_span_is(head->keyword, "NSET");
    const bool elset = brn_span_is(head->keyword, "ELSET");
    /* In an assembly numbers without an instance are the assembly's own (reference points). */
    const bool foreign = in->in_assembly && !in->in_part && head->instance.length == 0;
    if (foreign || (!node && !is_element && !nset && !elset)) {
        return BRN_OK;
    }
    if (head->input.length > 0) {
        return brn_scan_fail(&in->scan, "INPUT= is not supported: write the mesh out into one file");
    }
    if (node && head->system.length > 0 && !brn_span_is(head->system, "R")) {
        return brn_scan_fail(&in->scan, "SYSTEM=%.*s is not supported: only rectangular coordinates are",
                             brn_span_shown(head->system), head->system.at);
    }
    if (node && in->pass == BRN_INP_NODES) {
        return read_nodes(in);
    }
    if (is_element && in->pass == BRN_INP_ELEMENTS) {
        return read_elements(in, head);
    }
    if (in->pass != BRN_INP_SETS || is_element) {
        return BRN_OK;
    }
    if (node) {
        return head->nset.length > 0 ? brn_inp_node_card(in, head) : BRN_OK;
    }
    if (nset) {
        return brn_inp_nset_card(in, head);
    }
    return brn_inp_elset_card(in, head);
}

static brn_status read_pass(brn_inp *in)
{
    brn_scan *scan = &in->scan;
    scan->at = scan->start;
    in->in_assembly = false;
    in->in_part = false;
    in->nparts = 0;
    for (;;) {
        /* Data lines of skipped cards pass by here. */
        brn_span line;
        while (brn_inp_next(scan, &line)) {}
        if (scan->at >= scan->end) {
            return BRN_OK;
        }
        brn_inp_card head;
        read_card(scan, &head);
        BRN_TRY(refuse_card(in, &head));
        if (brn_span_is(head.keyword, "PART")) {
            BRN_TRY(enter_part(in));
        } else if (brn_span_is(head.keyword, "INSTANCE")) {
            BRN_TRY(check_instance(in));
        } else if (brn_span_is(head.keyword, "END PART")) {
            in->in_part = false;
        } else if (brn_span_is(head.keyword, "ASSEMBLY")) {
            in->in_assembly = true;
        } else if (brn_span_is(head.keyword, "END ASSEMBLY")) {
            in->in_assembly = false;
        } else {
            BRN_TRY(read_mesh_card(in, &head));
        }
    }
}

brn_status brn_read_inp(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    brn_inp in = {.scan = brn_scan_open(ctx, bytes, length, name)};
    brn_draft_open(&in.draft, ctx);
    brn_status status = BRN_OK;
    for (int p = 0; p < BRN_INP_PASSES && status >= 0; ++p) {
        in.pass = (brn_inp_pass)p;
        status = read_pass(&in);
    }
    if (status >= 0) {
        status = brn_inp_name_elsets(&in);
    }
    if (status >= 0) {
        status = brn_draft_finish(&in.draft, &in.scan, out);
    }
    for (int i = 0; i < in.nset; ++i) {
        brn_free(ctx, in.set[i].element);
    }
    brn_free(ctx, in.set);
    brn_free(ctx, in.element);
    brn_idmap_clear(ctx, &in.numbers);
    brn_idmap_clear(ctx, &in.set_names);
    brn_idmap_clear(ctx, &in.nset_names);
    brn_draft_clear(&in.draft);
    return status;
}
